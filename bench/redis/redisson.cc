#include "redis/redisson.h"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace holdfast::bench::redis {

using namespace std::chrono_literals;

Redisson::Redisson(const std::string& jar, const Server& server)
    : program_({"java", "-jar", jar, server.url()}) {
  if (program_.read_line() != "ready") {
    throw std::runtime_error("the program on Redisson does not start: " + jar);
  }
}

std::vector<Redisson> Redisson::start(int processes, const Server& server,
                                      const std::string& workload, Report& report) {
  std::vector<Redisson> all;
  const char* jar = std::getenv("HOLDFAST_REDISSON_PEER");
  if (jar == nullptr) {
    report.leave_out(workload,
                     "Redisson, since HOLDFAST_REDISSON_PEER does not name the jar of "
                     "tests/interop/redisson");
    return all;
  }
  for (int i = 0; i < processes; ++i) all.push_back(Redisson(jar, server));
  constexpr int kThreads = 8;
  for (Redisson& each : all) each.begin("warm-up/", kThreads, 3s);
  for (Redisson& each : all) each.end();
  return all;
}

void Redisson::begin(const std::string& name, int threads,
                     std::chrono::milliseconds time) {
  program_.write_line("bench\tstorm\tRLock\t" + name + "\t" + std::to_string(threads) +
                      "\t" + std::to_string(time.count()));
}

Storm Redisson::end() {
  std::istringstream words(program_.read_line().value_or(""));
  std::string thread;
  std::string said;
  double longest_us = 0;
  double began = 0;
  double ended = 0;
  Storm storm;
  words >> thread >> said >> storm.grants >> longest_us >> began >> ended;
  if (!words || said != "ok") {
    throw std::runtime_error("the program on Redisson failed: " + words.str());
  }
  storm.seconds = (ended - began) / 1e9;
  storm.longest_ms = longest_us / 1000;
  return storm;
}

}  // namespace holdfast::bench::redis

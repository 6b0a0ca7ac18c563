#include "java_peer.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace holdfast::bench {

using namespace std::chrono_literals;

namespace {

std::string variable_of(const Rival& rival) {
  std::string name = rival.library;
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
  return "HOLDFAST_" + name + "_PEER";
}

}  // namespace

JavaPeer::JavaPeer(const Rival& rival, const std::string& jar, const std::string& url)
    : lock_(rival.lock), program_(Program::As::client, {"java", "-jar", jar, url}) {}

std::vector<JavaPeer> JavaPeer::start(const Rival& rival, int processes,
                                      const std::string& url,
                                      const std::string& workload, Report& report) {
  std::vector<JavaPeer> all;
  const std::string variable = variable_of(rival);
  const char* jar = std::getenv(variable.c_str());
  if (jar == nullptr) {
    report.leave_out(workload, rival.library + ", since " + variable +
                                   " does not name the jar of tests/interop/" +
                                   rival.library);
    return all;
  }
  for (int i = 0; i < processes; ++i) all.push_back(JavaPeer(rival, jar, url));
  for (JavaPeer& each : all) {
    if (each.program_.read_line() != "ready") {
      throw std::runtime_error("a rival does not start: " + std::string(jar));
    }
  }
  constexpr int kThreads = 8;
  for (JavaPeer& each : all) each.begin("warm-up/", kThreads, 3s);
  for (JavaPeer& each : all) each.end();
  return all;
}

void JavaPeer::begin(const std::string& name, int threads,
                     std::chrono::milliseconds time) {
  program_.write_line("bench\tstorm\t" + lock_ + "\t" + name + "\t" +
                      std::to_string(threads) + "\t" + std::to_string(time.count()));
}

Storm JavaPeer::end() {
  std::istringstream words(program_.read_line().value_or(""));
  std::string thread;
  std::string said;
  double longest_us = 0;
  double began = 0;
  double ended = 0;
  Storm storm;
  words >> thread >> said >> storm.grants >> longest_us >> began >> ended;
  if (!words || said != "ok") {
    throw std::runtime_error("a rival failed: " + words.str());
  }
  storm.seconds = (ended - began) / 1e9;
  storm.longest_ms = longest_us / 1000;
  return storm;
}

}  // namespace holdfast::bench

// SPDX-License-Identifier: Apache-2.0

#include "rival_peer.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <stdexcept>
#include <utility>

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

std::vector<std::string> command(const std::string& built, const std::string& url) {
  if (built.ends_with(".jar")) return {"java", "-jar", built, url};
  return {built, url};
}

}  // namespace

RivalPeer::RivalPeer(const Rival& rival, const std::string& built,
                     const std::string& url)
    : lock_(rival.lock), program_(Program::As::client, command(built, url)) {}

std::vector<RivalPeer> RivalPeer::start(const Rival& rival, int processes,
                                        const std::string& url,
                                        const std::string& workload, Report& report) {
  std::vector<RivalPeer> all;
  const std::string variable = variable_of(rival);
  const char* built = std::getenv(variable.c_str());
  if (built == nullptr) {
    report.leave_out(workload, rival.library + " (" + rival.lock + "), since " +
                                   variable + " does not name what tests/interop/" +
                                   rival.library + " is built to");
    return all;
  }
  for (int i = 0; i < processes; ++i) all.push_back(RivalPeer(rival, built, url));
  for (RivalPeer& each : all) {
    if (each.program_.read_line() != "ready") {
      throw std::runtime_error("a rival does not start: " + std::string(built));
    }
  }
  // Java compiles what runs often; the way of a contended lock is another one.
  const std::chrono::milliseconds time =
      std::string(built).ends_with(".jar") ? 3s : 500ms;
  for (const auto& [name, threads] : {std::pair{"warm-up/", 8}, {"warm-up", 2}}) {
    for (RivalPeer& each : all) each.begin(name, threads, time);
    for (RivalPeer& each : all) each.end();
  }
  return all;
}

void RivalPeer::begin(const std::string& name, int threads,
                      std::chrono::milliseconds time,
                      std::chrono::microseconds section) {
  program_.write_line("bench\tstorm\t" + lock_ + "\t" + name + "\t" +
                      std::to_string(threads) + "\t" + std::to_string(time.count()) +
                      "\t" + std::to_string(section.count()));
}

Storm RivalPeer::end() {
  std::istringstream words = answer();
  double began = 0;
  double ended = 0;
  Storm storm;
  words >> storm.grants >> storm.fewest >> storm.most >> storm.waits >> began >> ended;
  if (!words)
    throw std::runtime_error("a rival's answer cannot be read; build it again");
  storm.seconds = (ended - began) / 1e9;
  return storm;
}

void RivalPeer::gather(const std::string& name, int waiters) {
  program_.write_line("bench\tgather\t" + lock_ + "\t" + name + "\t" +
                      std::to_string(waiters));
  answer();
}

Storm RivalPeer::serve(std::chrono::milliseconds most) {
  program_.write_line("bench\tserve\t" + std::to_string(most.count()));
  std::istringstream words = answer();
  double began = 0;
  double ended = 0;
  Storm storm;
  words >> storm.grants >> storm.waits >> began >> ended;
  storm.seconds = (ended - began) / 1e9;
  return storm;
}

Latency RivalPeer::hand_over(const std::string& name, int rounds,
                             std::chrono::milliseconds held) {
  program_.write_line("bench\thandover\t" + lock_ + "\t" + name + "\t" +
                      std::to_string(rounds) + "\t" + std::to_string(held.count()));
  std::istringstream words = answer();
  Latency latency;
  words >> latency.p50_ms >> latency.p99_ms;
  return latency;
}

std::istringstream RivalPeer::answer() {
  const std::string line = program_.read_line().value_or("");
  std::istringstream words(line);
  std::string thread;
  std::string said;
  words >> thread >> said;
  if (said != "ok") throw std::runtime_error("a rival failed: " + line);
  return words;
}

}  // namespace holdfast::bench

// SPDX-License-Identifier: Apache-2.0

#include "interop/peer.h"

#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <stdexcept>

namespace holdfast::test {
namespace {

using std::chrono::steady_clock;

std::vector<std::string> command(const std::string& library, const std::string& url,
                                 const PeerOptions& options) {
  std::string variable = "HOLDFAST_" + library + "_PEER";
  std::ranges::transform(variable, variable.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  const char* built = std::getenv(variable.c_str());
  if (built == nullptr) {
    throw std::runtime_error(variable + " does not name what tests/interop/" + library +
                             " is built to");
  }
  std::vector<std::string> words;
  if (std::string_view(built).ends_with(".jar")) {
    words = {"java", "-XX:+UseSerialGC", "-jar"};
  }
  words.insert(words.end(), {built, url, std::to_string(options.lease.count()),
                             std::to_string(options.fair_wait.count())});
  return words;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (c == '\t') {
      words.emplace_back();
    } else {
      words.back().push_back(c);
    }
  }
  return words;
}

// The clock of all peers and of this process is CLOCK_MONOTONIC.
steady_clock::time_point time(const std::string& nanoseconds) {
  return steady_clock::time_point(std::chrono::nanoseconds(std::stoll(nanoseconds)));
}

}  // namespace

void PrintTo(const Answer& answer, std::ostream* out) {
  *out << answer.said << ' ' << answer.value;
}

Peer::Peer(const std::string& library, const std::string& url, PeerOptions options)
    : process_(command(library, url, options)) {
  if (process_.read_line() != "ready") {
    throw std::runtime_error("the peer on " + library + " does not start");
  }
}

void Peer::send(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : "\t") + word;
  process_.write_line(line);
}

Answer Peer::answer(std::string_view thread, std::chrono::milliseconds limit) {
  auto& mine = answers_[std::string(thread)];
  for (const auto end = steady_clock::now() + limit; mine.empty();) {
    const auto line = process_.read_line(
        duration_cast<std::chrono::milliseconds>(end - steady_clock::now()));
    if (!line) return {};
    const auto words = split(*line);
    answers_[words.at(0)].push_back(
        {words.at(1), words.at(2), time(words.at(3)), time(words.at(4))});
  }
  Answer answer = mine.front();
  mine.pop_front();
  return answer;
}

void Peer::kill() {
  process_.signal(SIGKILL);
  process_.wait();
}

}  // namespace holdfast::test

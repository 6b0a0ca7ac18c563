// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

#include "child.h"
#include "contestant.h"
#include "roles.h"
#include "workload.h"

namespace holdfast::bench {
namespace {

constexpr std::int64_t kSyscallsPairs = 100'000;
constexpr int kTries =
    3;  // Threads that start or end are counted too, so the least counts.

// Returns all system calls of a process that opens a client and locks `pairs` times, as
// strace counts them. Nothing means that strace is missing or not allowed.
std::optional<std::int64_t> count(const Context& context, const std::string& name,
                                  std::int64_t pairs) {
  const std::string output = context.dir + "/strace";
  try {
    Child child({"pairs", name, context.dir + "/syscalls", std::to_string(pairs)},
                {"strace", "-f", "-qq", "-c", "-o", output});
    if (child.wait() != 0) return std::nullopt;
  } catch (const std::system_error&) {
    return std::nullopt;
  }
  // The last line is: % time, seconds, usecs/call, calls, [errors,] "total".
  std::ifstream file(output);
  for (std::string line; std::getline(file, line);) {
    if (!line.ends_with(" total")) continue;
    std::istringstream words(line);
    double ignored = 0;
    std::int64_t calls = 0;
    if (words >> ignored >> ignored >> ignored >> calls) return calls;
  }
  return std::nullopt;
}

std::optional<std::int64_t> calls_of_the_pairs(const Context& context,
                                               const std::string& name) {
  std::optional<std::int64_t> least;
  for (int i = 0; i < kTries; ++i) {
    const auto without = count(context, name, 0);
    const auto with = count(context, name, kSyscallsPairs);
    if (!with || !without) return std::nullopt;
    const std::int64_t calls = std::max<std::int64_t>(*with - *without, 0);
    least = least ? std::min(*least, calls) : calls;
  }
  return least;
}

}  // namespace

void pairs_role(Words words) {
  const auto lock = make_contestant(words[0], words[1]);
  lock->pairs(1);
  lock->pairs(std::stoll(words[2]));
}

void syscalls(const Context& context, Report& report) {
  const auto calls = calls_of_the_pairs(context, std::string(kHoldfast));
  if (!calls) return report.skip("syscalls", "strace is missing or may not trace");
  report.add({"syscalls", "in 100,000 lock and unlock pairs",
              static_cast<double>(*calls), "calls", Target::count_at_most(0)});
}

}  // namespace holdfast::bench

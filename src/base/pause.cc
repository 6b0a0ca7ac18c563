// SPDX-License-Identifier: Apache-2.0

#include "base/pause.h"

#include <random>

#include "base/fork_epoch.h"

namespace holdfast::base {
namespace {

struct Generator {
  std::minstd_rand random{std::random_device{}()};
  std::uint64_t epoch = fork_epoch();
};

}  // namespace

std::chrono::nanoseconds random_part(std::chrono::nanoseconds pause) {
  thread_local Generator generator;
  if (generator.epoch != fork_epoch()) generator = {};
  std::uniform_int_distribution<std::chrono::nanoseconds::rep> any(0, pause.count());
  return std::chrono::nanoseconds(any(generator.random));
}

}  // namespace holdfast::base

// SPDX-License-Identifier: Apache-2.0

#include "holdfast/clock.h"

#include <atomic>
#include <ctime>

namespace holdfast::inline v0 {
namespace {

std::atomic<Clock::Source> g_source{nullptr};

Clock::time_point boot_time() noexcept {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return Clock::time_point(std::chrono::seconds(now.tv_sec) +
                           std::chrono::nanoseconds(now.tv_nsec));
}

}  // namespace

Clock::time_point Clock::now() noexcept {
  const Source source = g_source.load(std::memory_order_acquire);
  return source != nullptr ? source() : boot_time();
}

Clock::Source Clock::set_source(Source source) noexcept {
  return g_source.exchange(source, std::memory_order_acq_rel);
}

}  // namespace holdfast::inline v0

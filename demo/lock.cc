// SPDX-License-Identifier: Apache-2.0

#include "lock.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

namespace holdfast::demo {

Client open_client(std::chrono::milliseconds ttl) {
  ClientOptions options;
  options.ttl = ttl;
  options.log = [](LogLevel level, std::string_view line) {
    if (level <= LogLevel::warning) return;
    std::fprintf(stderr, "holdfast demo: %.*s\n", static_cast<int>(line.size()),
                 line.data());
  };
  return Client::open({}, options).value();
}

std::string new_lock_name() {
  std::random_device random;
  char digits[24];
  std::snprintf(digits, sizeof digits, "%08x%08x", random(), random());
  return std::string("holdfast-demo/") + digits;
}

std::chrono::nanoseconds price_of(const Client& client, const std::string& name) {
  using Steady = std::chrono::steady_clock;
  constexpr std::size_t kMost = 200;
  const auto end = Steady::now() + std::chrono::milliseconds(300);
  Mutex mutex(client, name);
  std::vector<std::chrono::nanoseconds> times;
  while (times.size() < kMost && (times.empty() || Steady::now() < end)) {
    const auto start = Steady::now();
    mutex.lock();
    mutex.unlock();
    times.push_back(Steady::now() - start);
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace holdfast::demo

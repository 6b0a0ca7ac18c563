// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/transport/xids.h"

#include <atomic>
#include <cstdint>
#include <ctime>

#include "base/mutex.h"

namespace holdfast::zookeeper {
namespace {

// The margin is wide enough for requests that are made while the counter is moved.
constexpr std::int32_t kFirstToAvoid = -256;

std::uint32_t start() noexcept {
  return static_cast<std::uint32_t>(std::time(nullptr));
}

// The presumed value of the library's counter, which cannot be read.
std::atomic<std::uint32_t>& counter() {
  static std::atomic<std::uint32_t> next{start()};
  return next;
}

bool is_near(std::uint32_t number) noexcept {
  const auto signed_number = static_cast<std::int32_t>(number);
  return signed_number >= kFirstToAvoid && signed_number < 0;
}

// The library takes a number before it finds that the operation is unknown. At -1 it
// starts from the time of day again.
void skip_one(zhandle_t* handle) {
  zoo_op_t unknown{};
  zoo_op_result_t result{};
  unknown.type = -1000;
  zoo_amulti(
      handle, 1, &unknown, &result, [](int, const void*) {}, nullptr);
}

}  // namespace

void take_xid(zhandle_t* handle) {
  if (!is_near(counter().fetch_add(1))) [[likely]]
    return;
  static base::Mutex one_at_a_time;
  base::MutexLock lock(one_at_a_time);
  if (!is_near(counter().load())) return;
  while (is_near(counter().fetch_add(1))) skip_one(handle);
  counter().store(start());
}

}  // namespace holdfast::zookeeper

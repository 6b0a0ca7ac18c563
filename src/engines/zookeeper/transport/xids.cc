// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/transport/xids.h"

#include <ctime>

namespace holdfast::zookeeper {
namespace {

std::uint32_t time_of_day() noexcept {
  return static_cast<std::uint32_t>(std::time(nullptr));
}

// The library takes a number before it finds that the operation is unknown.
void skip_one(zhandle_t* handle) {
  zoo_op_t unknown{};
  zoo_op_result_t result{};
  unknown.type = -1000;
  zoo_amulti(
      handle, 1, &unknown, &result, [](int, const void*) {}, nullptr);
}

}  // namespace

void take_xid(zhandle_t* handle) {
  static XidCounter of_this_process(time_of_day);
  of_this_process.take([handle] { skip_one(handle); });
}

}  // namespace holdfast::zookeeper

// SPDX-License-Identifier: Apache-2.0

#include "interop/ours.h"

namespace holdfast::test {

using engine::Kind;

std::string_view query_of(std::string_view) { return {}; }

engine::Address address_of(std::string_view java, const std::string& name) {
  if (java == "ReadLock" || java == "WriteLock") return {Kind::shared_mutex, name};
  if (java.starts_with("InterProcessSemaphore")) return {Kind::semaphore, name};
  if (java == "LeaderLatch") return {Kind::election, name};
  if (java == "LeaderSelector") return {Kind::fair_mutex, name};
  return {Kind::mutex, name};
}

}  // namespace holdfast::test

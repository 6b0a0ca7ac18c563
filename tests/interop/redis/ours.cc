// SPDX-License-Identifier: Apache-2.0

#include "interop/ours.h"

namespace holdfast::test {

using engine::Kind;

std::string_view query_of(std::string_view java) {
  return java == "RSemaphore" ? "?semaphore=plain" : "";
}

engine::Address address_of(std::string_view java, const std::string& name) {
  if (java == "RFairLock") return {Kind::fair_mutex, name};
  if (java == "RReadLock" || java == "RWriteLock") return {Kind::shared_mutex, name};
  if (java.ends_with("Semaphore")) return {Kind::semaphore, name};
  return {Kind::mutex, name};
}

}  // namespace holdfast::test

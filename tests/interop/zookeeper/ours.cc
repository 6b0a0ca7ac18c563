// SPDX-License-Identifier: Apache-2.0

#include "interop/ours.h"

#include "conformance/with_hold.h"
#include "holdfast/semaphore.h"

namespace holdfast::test {

using engine::Kind;

Client open_ours(std::string_view, const std::string& url,
                 std::chrono::milliseconds ttl) {
  ClientOptions options;
  options.ttl = ttl;
  options.log = [](LogLevel, std::string_view) {};
  return Client::open(url, options).value();
}

engine::Address address_of(std::string_view java, const std::string& name) {
  if (java == "ReadLock" || java == "WriteLock") return {Kind::shared_mutex, name};
  if (java.starts_with("InterProcessSemaphore")) return {Kind::semaphore, name};
  if (java == "LeaderLatch") return {Kind::election, name};
  if (java == "LeaderSelector") return {Kind::fair_mutex, name};
  return {Kind::mutex, name};
}

std::unique_ptr<Exclusive> make_ours(std::string_view java, const Client& client,
                                     const std::string& name) {
  if (java == "ReadLock") {
    return std::make_unique<WithHold<ReadSide, SharedHold>>(client, name);
  }
  switch (address_of(java, name).kind) {
    case Kind::semaphore:
      return std::make_unique<WithHold<Semaphore, Permits>>(client, name, 1u);
    case Kind::fair_mutex:
      return make_exclusive(Shape::fair_mutex, client, name);
    case Kind::shared_mutex:
      return make_exclusive(Shape::shared_mutex, client, name);
    case Kind::election:
      return make_exclusive(Shape::election, client, name);
    default:
      return make_exclusive(Shape::mutex, client, name);
  }
}

}  // namespace holdfast::test

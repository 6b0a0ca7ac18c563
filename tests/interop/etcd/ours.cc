// SPDX-License-Identifier: Apache-2.0

#include "interop/ours.h"

#include "conformance/with_hold.h"

namespace holdfast::test {

using engine::Kind;

Client open_ours(std::string_view, const std::string& url,
                 std::chrono::milliseconds ttl) {
  ClientOptions options;
  options.ttl = ttl;
  options.log = [](LogLevel, std::string_view) {};
  return Client::open(url, options).value();
}

engine::Address address_of(std::string_view kind, const std::string& name) {
  if (kind == "ReadLock" || kind == "WriteLock") return {Kind::shared_mutex, name};
  if (kind == "Election") return {Kind::election, name};
  return {Kind::mutex, name};
}

std::unique_ptr<Exclusive> make_ours(std::string_view kind, const Client& client,
                                     const std::string& name) {
  if (kind == "ReadLock") {
    return std::make_unique<WithHold<ReadSide, SharedHold>>(client, name);
  }
  if (kind == "WriteLock") return make_exclusive(Shape::shared_mutex, client, name);
  if (kind == "Election") return make_exclusive(Shape::election, client, name);
  return make_exclusive(Shape::mutex, client, name);
}

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "interop/ours.h"

#include <utility>

#include "conformance/with_hold.h"
#include "holdfast/semaphore.h"

namespace holdfast::test {

using engine::Kind;

Client open_ours(std::string_view kind, const std::string& url,
                 std::chrono::milliseconds ttl) {
  ClientOptions options;
  options.ttl = ttl;
  options.log = [](LogLevel, std::string_view) {};  // it would warn of the server
  return Client::open(url + std::string(query_of(kind)), std::move(options)).value();
}

std::unique_ptr<Exclusive> make_ours(std::string_view kind, const Client& client,
                                     const std::string& name) {
  if (kind.ends_with("ReadLock")) {
    return std::make_unique<WithHold<ReadSide, SharedHold>>(client, name);
  }
  switch (address_of(kind, name).kind) {
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

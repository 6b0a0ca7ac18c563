#include "interop/ours.h"

#include "conformance/claim_lock.h"

namespace holdfast::test {

using engine::Kind;
using engine::Mode;

Client open_ours(std::string_view java, const std::string& url,
                 std::chrono::milliseconds ttl) {
  ClientOptions options;
  options.ttl = ttl;
  options.log = [](LogLevel, std::string_view) {};  // that nothing is on disk is known
  return Client::open(url + (java == "RSemaphore" ? "?semaphore=plain" : ""),
                      std::move(options));
}

engine::Address address_of(std::string_view java, const std::string& name) {
  if (java == "RFairLock") return {Kind::fair_mutex, name};
  if (java == "RReadLock" || java == "RWriteLock") return {Kind::shared_mutex, name};
  if (java.ends_with("Semaphore")) return {Kind::semaphore, name};
  return {Kind::mutex, name};
}

std::unique_ptr<Exclusive> make_ours(std::string_view java, const Client& client,
                                     const std::string& name) {
  const engine::Address address = address_of(java, name);
  if (address.kind == Kind::mutex) return make_exclusive(Shape::mutex, client, name);
  engine::Claim like;
  if (address.kind == Kind::semaphore) like.capacity = 1;
  if (java == "RReadLock") like.mode = Mode::shared;
  return std::make_unique<ClaimLock>(client, address, like);
}

}  // namespace holdfast::test

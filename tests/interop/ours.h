// tests/interop/ours.h - Holdfast's side of each of Redisson's locks.
//
// `java` is a KIND of the peer: "RLock", "RFairLock", "RFencedLock", "RReadLock",
// "RWriteLock", "RSemaphore" or "RPermitExpirableSemaphore".

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "conformance/exclusive.h"
#include "holdfast/client.h"

namespace holdfast::test {

// A client that lays that lock out as Redisson does.
Client open_ours(std::string_view java, const std::string& url,
                 std::chrono::milliseconds ttl);

engine::Address address_of(std::string_view java, const std::string& name);

// A semaphore has one permit, so that it excludes.
std::unique_ptr<Exclusive> make_ours(std::string_view java, const Client& client,
                                     const std::string& name);

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// tests/interop/ours.h - Holdfast's side of each lock of the other library.
//
// `kind` is a KIND of the peer: "RLock", "InterProcessMutex". The folder of each engine
// defines what our side of it is, by `query_of` and `address_of`.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "conformance/exclusive.h"
#include "conformance/forms.h"
#include "holdfast/client_options.h"

namespace holdfast::test {

// Opens a client that stores that lock as the other library does.
Client open_ours(std::string_view kind, const std::string& url,
                 std::chrono::milliseconds ttl);

// What the URL needs for it, such as "?semaphore=plain".
std::string_view query_of(std::string_view kind);

engine::Address address_of(std::string_view kind, const std::string& name);

// A semaphore has one permit, so that it excludes.
std::unique_ptr<Exclusive> make_ours(std::string_view kind, const Client& client,
                                     const std::string& name);

// The read side of a shared mutex as a lock.
class ReadSide {
 public:
  ReadSide(const Client& client, const std::string& name) : mutex_(client, name) {}
  Result<SharedHold> acquire(const WaitOptions& options) {
    return mutex_.acquire_shared(options);
  }

 private:
  SharedMutex mutex_;
};

}  // namespace holdfast::test

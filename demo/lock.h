// SPDX-License-Identifier: Apache-2.0

// demo/lock.h - the Holdfast lock of the sale.

#pragma once

#include <chrono>
#include <string>

#include "holdfast/holdfast.h"

namespace holdfast::demo {

// This ttl is for the scenes in which a holder is killed or stopped. Where claims
// depend on the session of their client, as with etcd and ZooKeeper, the client's ttl
// has to pass.
inline constexpr std::chrono::milliseconds kShortTtl{4000};

// Opens the engine of HOLDFAST_URL. Its warnings are shown once, at the start of the
// demo. Throws holdfast::Error.
Client open_client(std::chrono::milliseconds ttl = ClientOptions{}.ttl);

// Returns "holdfast-demo/5f0c...", a name that no other program locks.
std::string new_lock_name();

// Returns the median time of lock() and unlock() together without contention.
std::chrono::nanoseconds price_of(const Client& client, const std::string& name);

}  // namespace holdfast::demo

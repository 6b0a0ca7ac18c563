// SPDX-License-Identifier: Apache-2.0

// demo/lock.h - the Holdfast lock of the sale.

#pragma once

#include <chrono>
#include <string>

#include "holdfast/holdfast.h"

namespace holdfast::demo {

// In the scenes in which a holder is killed or stopped. Where claims hang on the
// session of their client, as with etcd and ZooKeeper, it is the client's ttl that has
// to pass.
inline constexpr std::chrono::milliseconds kShortTtl{4000};

// The engine of HOLDFAST_URL. What it warns of is told once, by the opening. Throws
// holdfast::Error.
Client open_client(std::chrono::milliseconds ttl = ClientOptions{}.ttl);

// "holdfast-demo/5f0c...": not what any program of yours locks.
std::string new_lock_name();

// What lock() and unlock() take together when nobody else wants it, the median.
std::chrono::nanoseconds price_of(const Client& client, const std::string& name);

}  // namespace holdfast::demo

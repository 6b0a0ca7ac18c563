// SPDX-License-Identifier: Apache-2.0

// bench/contestant.h - Holdfast and its rivals behind one interface.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/client.h"

namespace holdfast::bench {

// Opens a client, at HOLDFAST_URL if there is no URL, that shows no warnings: it is
// known what a server for benchmarks lacks.
Client open_client(const std::string& url = {});

// Each thread uses an object of its own.
class Contestant {
 public:
  virtual ~Contestant() = default;
  virtual void lock() = 0;
  virtual void unlock() = 0;

  // Locks and unlocks `n` times with `std::scoped_lock`, without a virtual call inside
  // the loop.
  virtual void pairs(std::int64_t n) = 0;
};

inline constexpr std::string_view kHoldfast = "holdfast";
inline constexpr std::string_view kBefore = "holdfast before";  // see --beside
inline constexpr std::string_view kFair = "holdfast, FairMutex";
inline constexpr std::string_view kFlock = "flock";
inline constexpr std::string_view kRobust = "robust mutex";
inline constexpr std::string_view kSetNx = "set nx and sleep";
inline constexpr std::string_view kSetNx3 = "set nx every 3 ms";
inline constexpr std::string_view kSetNx100 = "set nx every 100 ms";
inline constexpr std::string_view kRedMutex3 = "RedMutex every 3 ms";
inline constexpr std::string_view kRedMutex100 = "RedMutex every 100 ms";
inline constexpr std::string_view kUniqueRow = "unique row and sleep";
inline constexpr std::string_view kGetLock = "GET_LOCK";

// Returns the contestants of engine local: "holdfast", "flock", "ofd lock", "robust
// mutex", and "boost named_mutex" where it was found.
const std::vector<std::string>& contestants();

// `path` says where the contestant's file goes; the same path is the same lock.
// Holdfast takes the client of this process, opened on first use at HOLDFAST_URL.
// kSetNx and its likes, rivals on engine redis, take the path as a key of that server;
// kUniqueRow and kGetLock, rivals on engine mysql, take it as a name there.
std::unique_ptr<Contestant> make_contestant(std::string_view name,
                                            const std::string& path);

// Returns Holdfast with that client. It locks one name after another.
std::unique_ptr<Contestant> make_with_names(const Client& client,
                                            const std::vector<std::string>& names);

// Returns Holdfast with a client that no other contestant uses.
std::unique_ptr<Contestant> make_with_own_client(const std::string& path);

// Removes what a contestant leaves behind outside of `path`.
void remove_traces(const std::string& path);

}  // namespace holdfast::bench

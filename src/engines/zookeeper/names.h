// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/names.h - how a name becomes a path.
//
// A name is opaque, but paths nest: the lock `/a/0` would be a child of the lock `/a`,
// and a claim in its queue. So `/` is spelt %2F and `%` is spelt %25, and characters
// that ZooKeeper does not allow in a path are spelt byte by byte. With ?names=raw a
// name is a path, as peers spell it.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "holdfast/result.h"

namespace holdfast::zookeeper {

// Returns whether ZooKeeper accepts it as an absolute path.
bool is_path(std::string_view path) noexcept;

std::string encode_name(std::string_view name);

// Returns nullopt if no name is spelt like this.
std::optional<std::string> decode_name(std::string_view node);

// Returns the path of a name under `root`. Errc::bad_name: it is not a path, or is
// ZooKeeper's own.
Result<std::string> path_of(std::string_view root, std::string_view name, bool raw);

}  // namespace holdfast::zookeeper

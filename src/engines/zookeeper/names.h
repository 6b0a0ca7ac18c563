// engines/zookeeper/names.h - how a name becomes a path.
//
// A name is opaque, a path nests: the lock `/a/0` would be a child of the lock `/a`,
// and stand in its line. So `/` is spelt %2F, `%` %25, and what ZooKeeper does not take
// in a path is spelt byte by byte. With ?names=raw a name is a path, as peers spell it.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "holdfast/result.h"

namespace holdfast::zookeeper {

// Whether ZooKeeper takes it as an absolute path.
bool is_path(std::string_view path) noexcept;

std::string encode_name(std::string_view name);

// Nothing: no name is spelt like this.
std::optional<std::string> decode_name(std::string_view node);

// The path of a name under `root`. Errc::bad_name: not a path, or ZooKeeper's own.
Result<std::string> path_of(std::string_view root, std::string_view name, bool raw);

}  // namespace holdfast::zookeeper

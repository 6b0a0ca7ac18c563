// engines/zookeeper/errors.h - what the library's codes mean.

#pragma once

#include <cstdint>
#include <string>

#include "base/common_failures.h"
#include "holdfast/result.h"

namespace holdfast::zookeeper {

// Whether the request was not answered: it may have been done or not.
bool is_lost(int code) noexcept;

enum class Request : std::uint8_t { read, change, changes };  // changes: a multi

// How far a request has certainly come. A follower may refuse a single change by
// itself, for want of rights, and any request while it is overloaded.
enum class Reach : std::uint8_t { nowhere, server, majority };
Reach reach_of(Request request, int code) noexcept;

// What a code means to a caller who does not expect it. `doing`: "list /app/a".
Failure failure_of(int code, const std::string& doing);

// What is found at `path` is not what it should be.
using base::used_by_another_kind;
Failure used_by_kazoo(const std::string& path);

}  // namespace holdfast::zookeeper

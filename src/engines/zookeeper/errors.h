// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/errors.h - what becomes of the library's codes: failures of ours.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/common_failures.h"
#include "holdfast/result.h"

namespace holdfast::zookeeper {

// Returns whether the request was not answered, so that it may have been applied or
// not.
bool is_lost(int code) noexcept;

enum class Request : std::uint8_t { read, write, transaction };

// How far a request has certainly come. A follower may refuse a single change by
// itself, for lack of rights, and any request while it is overloaded.
enum class Reach : std::uint8_t { nowhere, server, majority };
Reach reach_of(Request request, int code) noexcept;

// Returns the failure for a code that the caller does not expect. `doing` says what was
// asked for, as in "list /app/a".
Failure failure_of(int code, const std::string& doing);

// Returns whether a node is there, by the code of the answer about it. A code that does
// not say so is a failure: `doing` and `path` are what was asked for, as in "list" and
// "/app/a".
Result<bool> is_there(int code, std::string_view doing, const std::string& path);

// Returns whether a deletion with this answer must be sent again, because the node may
// still be there.
bool must_be_repeated(int code) noexcept;

// These are the failures for a path that another kind or library uses.
using base::used_by_another_kind;
Failure used_by_kazoo(const std::string& path);

}  // namespace holdfast::zookeeper

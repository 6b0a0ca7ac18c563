// SPDX-License-Identifier: Apache-2.0

// engines/redis/errors.h - the server's error replies as failures.

#pragma once

#include <string>
#include <string_view>

#include "engines/redis/options.h"
#include "engines/redis/transport/reply.h"
#include "holdfast/result.h"

namespace holdfast::redis {

// Translates an error reply into wrong_kind, denied, full, unavailable, unsupported or
// incompatible, and says what helps. REQUIRES: is_error().
Failure failure_of(ReplyView error, const ServerName& server);

// Returns the sentence for a server that wants a password and got none. `whose` is
// empty or " for user ...".
std::string wants_password(const ServerName& server, const std::string& whose = {});

// Errc::denied: a server does not accept the password. `whose` as above.
Failure password_refused(const ServerName& server, const std::string& whose = {});

bool is_no_script(ReplyView reply) noexcept;

// Returns whether only a replica answers so. A lock that is taken on a replica excludes
// no other client.
bool is_of_replica(ReplyView reply) noexcept;

// Returns Errc::wrong_kind with the name of the resource, and other failures as they
// are.
Failure explain_wrong_kind(Failure why, std::string_view name);

}  // namespace holdfast::redis

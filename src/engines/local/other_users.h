// SPDX-License-Identifier: Apache-2.0

// engines/local/other_users.h - detects other users who lock in segments of their own.

#pragma once

#include <string>
#include <vector>

namespace holdfast::local {

// Returns a warning if this user has chosen neither a path nor a scope while another
// user has a segment too: both may believe that they alone hold a name. Returns nothing
// if there is no such user.
std::vector<std::string> warn_of_other_users();

}  // namespace holdfast::local

// SPDX-License-Identifier: Apache-2.0

// engines/local/options.h - what a local: URL says.
//
//   local:                               the segment of this user
//   local:?scope=user                    the same, said on purpose
//   local:?scope=system                  the segment of all users of this host
//   local:///run/app/locks               a file of this user
//   local:///run/app/locks?mode=0660&group=app      of the users in that group
//   local:///run/app/locks?mode=0666     of all users

#pragma once

#include <string>

#include "base/uri.h"
#include "engines/local/memory/access.h"
#include "holdfast/result.h"

namespace holdfast::local {

// Root keeps the segment of all users here, where no other user can create, replace or
// remove a file.
inline constexpr const char* kSystemFolder = "/run/holdfast";
inline constexpr const char* kSystemFile = "/run/holdfast/system";

// The file name of a user's segment is this prefix and the user's number.
inline constexpr const char* kUserFolder = "/dev/shm";
inline constexpr const char* kUserFile = "holdfast-";

struct Options {
  std::string path;
  Access access;
  bool unsaid = false;  // Neither a path nor a scope was chosen.
};

// Errc::bad_url or Errc::bad_config names the part that is wrong.
Result<Options> read_options(const base::Uri& uri);

}  // namespace holdfast::local

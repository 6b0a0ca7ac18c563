// SPDX-License-Identifier: Apache-2.0

// engines/local/memory/access.h - which users a segment's file is for.
//
// Only the process that creates a file sets its mode and group. A file that is already
// there must agree with the URL, or it is refused: the engine never changes the access
// of an existing file.

#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "holdfast/result.h"

namespace holdfast::local {

struct Access {
  mode_t mode = 0600;          // 0600 for the owner, 0660 for a group, 0666 for all
                               // users
  std::optional<gid_t> group;  // the group of the file, with 0660 only
  bool of_root = false;        // Only root creates the file, and owns it.

  bool shared() const noexcept { return mode != 0600; }
};

// Finds a group by name or number. Nothing means that there is no such group.
std::optional<gid_t> find_group(const std::string& text);

// Returns the name, or the number if there is no name.
std::string user_name(uid_t user);
std::string group_name(gid_t group);

// Checks that the file at `path` has the mode and the group of `access`. Errc::denied
// says what the file has and what to do.
Result<void> check_access(const std::string& path, const struct stat& file,
                          const Access& access);

// Says why the kernel does not let this process open a file for `access`.
Failure shut_out(const std::string& path, const Access& access);

// Says that the segment of all users does not exist and that this process may not
// create it.
Failure not_made_yet(const std::string& path);

}  // namespace holdfast::local

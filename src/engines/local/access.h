// engines/local/access.h - which users a segment's file is for.
//
// Only the process that makes a file gives it its mode and group; what is there already
// must agree with the URL, or is refused. Nothing is ever made wider or narrower behind
// its owner's back.

#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "holdfast/result.h"

namespace holdfast::local {

struct Access {
  mode_t mode = 0600;          // 0600: its owner; 0660: a group; 0666: all users
  std::optional<gid_t> group;  // of the file; with 0660 only
  bool of_root = false;        // root alone makes it, and owns it

  bool shared() const noexcept { return mode != 0600; }
};

// By name or number; nothing: there is no such group.
std::optional<gid_t> find_group(const std::string& text);

// By name, or by number if it has none.
std::string user_name(uid_t user);
std::string group_name(gid_t group);

// Whether the file at `path` is one for `access`. Errc::denied says what it is and what
// to do.
Result<void> check_access(const std::string& path, const struct stat& file,
                          const Access& access);

// Why the kernel does not let this process open a file for `access`.
Failure shut_out(const std::string& path, const Access& access);

// The segment of all users is not there, and this process may not make it.
Failure not_made_yet(const std::string& path);

}  // namespace holdfast::local

// SPDX-License-Identifier: Apache-2.0

// tests/support/other_user.h - processes of other users, for tests that root runs.
//
//   if (!can_become_others()) GTEST_SKIP() << kOnlyRoot;
//   const Reachable program(HOLDFAST_PROGRAM);
//   Process other({"/bin/sh", "-c", as_user(kNobody) + program.path() + " ls"});

#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "support/temp_dir.h"

namespace holdfast::test {

inline constexpr const char* kOnlyRoot = "only root can become another user";
inline bool can_become_others() { return geteuid() == 0; }

// These numbers need no entry in any table.
inline constexpr unsigned kNobody = 65534;
inline constexpr unsigned kOtherUser = 64001;
inline constexpr unsigned kTeam = 64100;  // a group

// Returns the beginning of a shell command that runs the rest as that user, with a
// clean environment. A group of 0 means that the user is only in its own group.
inline std::string as_user(unsigned user, unsigned group = 0) {
  const std::string id = std::to_string(user);
  return "setpriv --reuid " + id + " --regid " + id +
         (group == 0 ? " --clear-groups" : " --groups " + std::to_string(group)) +
         " --reset-env ";
}

// This is a copy of a program that every user may run, wherever the build is.
class Reachable {
 public:
  explicit Reachable(const std::string& program) {
    std::filesystem::copy_file(program, path());
    chmod(dir_.path().c_str(), 0755);
    chmod(path().c_str(), 0755);
  }
  std::string path() const { return dir_.file("program"); }

 private:
  TempDir dir_;
};

}  // namespace holdfast::test

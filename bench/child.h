// SPDX-License-Identifier: Apache-2.0

// bench/child.h - another process of this same program, playing a role.

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace holdfast::bench {

// The destructor kills and reaps the process.
class Child {
 public:
  // Runs `holdfast_bench role ROLE...` under `wrapper` (found by PATH), which may be
  // empty; `program` is another holdfast_bench than this one. Throws
  // std::system_error.
  explicit Child(const std::vector<std::string>& role,
                 const std::vector<std::string>& wrapper = {},
                 const std::string& program = {});
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  // Returns the exit code, or 128 + the signal that ended it.
  int wait();

  bool ended() const;  // without waiting

 private:
  pid_t pid_ = -1;
};

}  // namespace holdfast::bench

// SPDX-License-Identifier: Apache-2.0

// holdfast/lock_reason.h - says in which function, and for what, a lock is taken.
//
//   holdfast::LockReason reason("nightly restock");
//   std::scoped_lock guard(mutex);      // an operator sees the function, and why
//
// The reason becomes part of the payload of each claim that this thread makes while the
// object lives, together with the name and number of the thread; see holdfast/holder.h.
// It is shown by `holdfast show`, in the errors of other clients ("is held by ...")
// and, on mysql, in the columns of the row.
//
// A reason has a price: on `local` such a claim takes the slower path, and on other
// engines it is not handed from thread to thread inside the process, but asked for each
// time.

#pragma once

#include <version>
#ifdef __cpp_lib_source_location
#include <source_location>
#endif
#include <string_view>

#include "holdfast/export.h"

namespace holdfast::inline v0 {

#ifdef __cpp_lib_source_location
using SourceLocation = std::source_location;
#else
// Replaces std::source_location where the standard library does not have it yet.
class SourceLocation {
 public:
  static constexpr SourceLocation current(const char* function = __builtin_FUNCTION(),
                                          const char* file = __builtin_FILE(),
                                          unsigned line = __builtin_LINE()) noexcept {
    return SourceLocation(function, file, line);
  }
  constexpr const char* function_name() const noexcept { return function_; }
  constexpr const char* file_name() const noexcept { return file_; }
  constexpr unsigned line() const noexcept { return line_; }

 private:
  constexpr SourceLocation(const char* function, const char* file,
                           unsigned line) noexcept
      : function_(function), file_(file), line_(line) {}

  const char* function_;
  const char* file_;
  unsigned line_;
};
#endif

// A LockReason belongs to the thread that made it. Of nested ones, the innermost
// counts. `description` must outlive the object.
class HOLDFAST_EXPORT LockReason {
 public:
  explicit LockReason(std::string_view description = {},
                      SourceLocation where = SourceLocation::current()) noexcept
      : LockReason(description, where.function_name(), where.file_name(),
                   static_cast<unsigned>(where.line())) {}
  ~LockReason();
  LockReason(const LockReason&) = delete;
  LockReason& operator=(const LockReason&) = delete;

  std::string_view description() const noexcept { return description_; }
  std::string_view function() const noexcept { return function_; }
  std::string_view file() const noexcept { return file_; }
  unsigned line() const noexcept { return line_; }

  // Returns the innermost LockReason of this thread, or null if there is none.
  static const LockReason* innermost() noexcept;

 private:
  LockReason(std::string_view description, const char* function, const char* file,
             unsigned line) noexcept;

  const std::string_view description_;
  const char* const function_;
  const char* const file_;
  const unsigned line_;
  const LockReason* const outer_;
};

}  // namespace holdfast::inline v0

// SPDX-License-Identifier: Apache-2.0

// holdfast/fence.h - the check that a protected resource makes.
//
// A lock alone cannot protect a resource from a holder that was frozen and wakes up
// late. The resource itself can: it remembers the largest token that it has seen and
// refuses smaller ones, at the *first read* and at every write.
//
//   holdfast::Fence fence;                           // beside the data it guards
//
//   auto row = fence.read(token, [&] { return table.get(id); });
//   if (!row) return report(row.error());            // Errc::stale_token
//   auto done = fence.write(token, [&] { table.put(id, *row + 1); });
//
// It is not enough to fence writes only: a stale holder could still write between the
// first read and the first write of the present one. docs/guarantees.md shows the
// schedule.

#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/result.h"

namespace holdfast::inline v0 {

// A Fence is safe for concurrent use. All checks can fail with Errc::stale_token (the
// fence has seen a larger token: stop working, the lock is lost) and with
// Errc::bad_argument (the token is empty: this lock cannot be fenced). A fence in a
// file can also fail because the file cannot be read or written.
class HOLDFAST_EXPORT Fence {
 public:
  // Makes a fence that remembers the largest token in memory, for as long as it lives.
  Fence();

  // Makes a fence that remembers the largest token in a file, for every process that
  // opens the same file, and across restarts: a new token is on the disk before `admit`
  // returns.
  static Result<Fence> in_file(const std::string& path);

  Fence(Fence&&) noexcept;
  Fence& operator=(Fence&&) noexcept;
  ~Fence();

  // Check the token and call `action`. Both happen under one mutex, so that no larger
  // token is admitted between the check and the action. They return a Result of what
  // `action` returns. `read` and `write` do the same; the names are for the reader of
  // the code.
  template <class F>
  auto read(FencingToken token, F&& action) {
    return run(token, std::forward<F>(action));
  }
  template <class F>
  auto write(FencingToken token, F&& action) {
    return run(token, std::forward<F>(action));
  }

  // Checks and remembers the token, for a resource that is serialised by other means.
  Result<void> admit(FencingToken token);

  // Checks the token of a shared holder. It is compared with the largest token of an
  // exclusive holder and not remembered, since readers do not fence each other.
  Result<void> admit_shared(FencingToken token);

  // Returns the largest token so far, which is empty if there was none.
  Result<FencingToken> highest() const;

 private:
  class TokenStore;
  explicit Fence(std::unique_ptr<TokenStore> store) noexcept;

  template <class F>
  auto run(FencingToken token, F&& action) -> Result<std::invoke_result_t<F>> {
    const auto turn = begin(token);
    if (!turn) return turn.error();
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      std::forward<F>(action)();
      return {};
    } else {
      return std::forward<F>(action)();
    }
  }

  // Checks the token. No other token is admitted until the returned object is
  // destroyed.
  Result<std::shared_ptr<void>> begin(FencingToken token);

  std::unique_ptr<TokenStore> store_;
};

}  // namespace holdfast::inline v0

// holdfast/fence.h - the check that a protected resource makes.
//
// A lock alone cannot protect anything from a holder that was frozen and wakes up late.
// The resource can: it remembers the largest token it has seen and turns smaller ones
// away, at the *first read* and at every write.
//
//   holdfast::Fence fence;                           // beside the data it guards
//
//   auto row = fence.read(token, [&] { return table.get(id); });
//   if (!row) return report(row.error());            // Errc::stale_token
//   auto done = fence.write(token, [&] { table.put(id, *row + 1); });
//
// Fencing writes only is not enough: a stale holder could still write between the first
// read and the first write of a fresh one. docs/guarantees.md shows the schedule.

#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/result.h"

namespace holdfast {

// Safe for concurrent use. `admit` and the function run under one mutex, so that no
// larger token gets in between the check and the deed. Each returns Result<R>, where R
// is what the function returns.
class HOLDFAST_EXPORT Fence {
 public:
  // Remembers in memory, for as long as it lives.
  Fence();

  // Remembers in a file, for every process that opens the same one, across restarts: a
  // new token is on the disk before `admit` returns.
  static Result<Fence> in_file(const std::string& path);

  Fence(Fence&&) noexcept;
  Fence& operator=(Fence&&) noexcept;
  ~Fence();

  template <class F>
  auto read(FencingToken token, F&& deed) {
    return run(token, std::forward<F>(deed));
  }
  template <class F>
  auto write(FencingToken token, F&& deed) {
    return run(token, std::forward<F>(deed));
  }

  // The check alone, for a resource that is serialised by other means.
  // Errc::stale_token: a larger one was here. Errc::bad_argument: an empty token.
  Result<void> admit(FencingToken token);

  // For a shared holder: compared with the largest token of an exclusive one, and not
  // remembered, since readers do not fence each other.
  Result<void> admit_shared(FencingToken token);

  FencingToken highest() const noexcept;

 private:
  class Memory;
  explicit Fence(std::unique_ptr<Memory> memory) noexcept;

  template <class F>
  auto run(FencingToken token, F&& deed) -> Result<std::invoke_result_t<F>> {
    const auto turn = begin(token);
    if (!turn) return turn.error();
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      std::forward<F>(deed)();
      return {};
    } else {
      return std::forward<F>(deed)();
    }
  }

  // Holds the fence shut for others until it is destroyed.
  Result<std::shared_ptr<void>> begin(FencingToken token);

  std::unique_ptr<Memory> memory_;
};

}  // namespace holdfast

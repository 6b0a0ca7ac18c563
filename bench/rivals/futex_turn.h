// SPDX-License-Identifier: Apache-2.0

// bench/rivals/futex_turn.h - two processes that wake each other by a bare futex: what
// a hand-over costs at the least.

#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "../arena.h"

namespace holdfast::bench {

// `lock` waits until it is this side's turn, `unlock` gives the turn to the other side.
// Side 0 is the first to lock.
class FutexTurn {
 public:
  FutexTurn(const std::string& path, std::uint32_t side)
      : turn_(path, [](Turn&) {}), side_(side) {}

  void lock() {
    for (std::uint32_t now = word().load(); now != side_; now = word().load()) {
      syscall(SYS_futex, turn_.get(), FUTEX_WAIT, now, nullptr, nullptr, 0);
    }
  }
  void unlock() {
    word().store(1 - side_);
    syscall(SYS_futex, turn_.get(), FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }

 private:
  using Turn = std::atomic<std::uint32_t>;
  Turn& word() { return *turn_.get(); }

  Arena<Turn> turn_;
  std::uint32_t side_;
};

}  // namespace holdfast::bench

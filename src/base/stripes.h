// SPDX-License-Identifier: Apache-2.0

// base/stripes.h - shared mutexes for objects that are too many and too small to have
// one each.
//
//   constinit base::Stripes stripes;               // of the whole process
//   base::MutexLock lock(stripes.of(this));
//
// Two objects may share a mutex, so a thread must not lock two stripes of one set at
// once.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/fork_epoch.h"
#include "base/mutex.h"

namespace holdfast::base {

// The set is made on first use, and again by the first use in a child of fork(), where
// a mutex that a thread of the parent had locked would stay locked for ever. It is
// never destroyed, since threads may outlive main. The class is safe for concurrent
// use.
class Stripes {
 public:
  constexpr Stripes() = default;
  Stripes(const Stripes&) = delete;
  Stripes& operator=(const Stripes&) = delete;

  Mutex& of(const void* object) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    Set* set = set_.load(std::memory_order_acquire);
    if (set == nullptr || set->epoch != fork_epoch()) [[unlikely]]
      set = replace(set);
    return set->mutexes[(address >> 5 ^ address >> 12) % set->mutexes.size()].mutex;
  }

 private:
  struct alignas(64) Padded {
    Mutex mutex;
  };
  struct Set {
    Set* const before;  // the parent's set
    const std::uint64_t epoch = fork_epoch();
    std::array<Padded, 64> mutexes{};
  };

  // The old set is left as it is, because threads of the parent may be using it.
  Set* replace(Set* old) noexcept {
    Set* const made = new Set{.before = old};
    if (set_.compare_exchange_strong(old, made)) return made;
    delete made;
    return old;
  }

  std::atomic<Set*> set_{nullptr};
};

}  // namespace holdfast::base

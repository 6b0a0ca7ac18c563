// base/stripes.h - mutexes for objects too many and too small to have one each.
//
//   constinit base::Stripes stripes;               // of the whole process
//   base::MutexLock lock(stripes.of(this));
//
// Two objects may have the same one: do not lock two stripes of one set at once.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/fork_epoch.h"
#include "base/mutex.h"

namespace holdfast::base {

// Made on first use, and again by the first use in a child of fork(): there a mutex
// that a thread of the parent had locked would stay locked for ever. Never destroyed,
// since threads may outlive main. Safe for concurrent use.
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
    Set* const before;  // of the parent
    const std::uint64_t epoch = fork_epoch();
    std::array<Padded, 64> mutexes{};
  };

  // The old set, which the parent's threads may be using, is left as it is.
  Set* replace(Set* old) noexcept {
    Set* const made = new Set{.before = old};
    if (set_.compare_exchange_strong(old, made)) return made;
    delete made;
    return old;
  }

  std::atomic<Set*> set_{nullptr};
};

}  // namespace holdfast::base

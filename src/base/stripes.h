// base/stripes.h - mutexes for objects too many and too small to have one each.
//
//   static base::Stripes stripes;
//   base::MutexLock lock(stripes.of(this));
//
// Two objects may have the same one: do not lock two stripes of one set at once.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/mutex.h"

namespace holdfast::base {

class Stripes {
 public:
  Mutex& of(const void* object) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    return mutexes_[(address >> 5 ^ address >> 12) % mutexes_.size()].mutex;
  }

 private:
  struct alignas(64) Padded {
    Mutex mutex;
  };
  std::array<Padded, 64> mutexes_;
};

}  // namespace holdfast::base

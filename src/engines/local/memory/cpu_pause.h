// SPDX-License-Identifier: Apache-2.0

// engines/local/memory/cpu_pause.h - one turn of a loop that waits without sleeping.

#pragma once

namespace holdfast::local {

inline void cpu_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace holdfast::local

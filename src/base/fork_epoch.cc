// SPDX-License-Identifier: Apache-2.0

#include "base/fork_epoch.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace holdfast::base {
namespace {

constinit std::atomic<std::uint64_t> g_plain{1};

// This is the last epoch given. A child inherits it, so that no ancestor's epoch is
// used again.
constinit std::atomic<std::uint64_t> g_last{1};

// The word is in a page that the kernel clears in every child, whatever call has made
// the child. Before Linux 4.14 the kernel cannot do that, and only the C library's own
// fork() is noticed.
std::atomic<std::uint64_t>* make_word() noexcept {
  pthread_atfork(nullptr, nullptr, [] { enter_child(); });
  const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const page = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) {
    if (::madvise(page, bytes, MADV_WIPEONFORK) == 0) {
      return new (page) std::atomic<std::uint64_t>(0);
    }
    ::munmap(page, bytes);
  }
  return &g_plain;
}

}  // namespace

namespace detail {
constinit std::atomic<std::atomic<std::uint64_t>*> g_fork_epoch{&g_plain};
}

void enter_child() noexcept {
  detail::g_fork_epoch.load()->store(g_last.fetch_add(1) + 1,
                                     std::memory_order_relaxed);
}

void watch_forks() noexcept {
  static std::atomic<std::uint64_t>* const word = make_word();
  std::uint64_t cleared = 0;
  if (word->load() == 0)
    word->compare_exchange_strong(cleared, g_last.fetch_add(1) + 1);
  detail::g_fork_epoch.store(word, std::memory_order_release);
}

}  // namespace holdfast::base

#include "base/fork_epoch.h"

#include <pthread.h>

namespace holdfast::base {

namespace detail {
constinit std::atomic<std::uint64_t> g_fork_epoch{1};
}

void enter_child() noexcept {
  detail::g_fork_epoch.fetch_add(1, std::memory_order_relaxed);
}

void watch_forks() noexcept {
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] { enter_child(); });
}

}  // namespace holdfast::base

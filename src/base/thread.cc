// SPDX-License-Identifier: Apache-2.0

#include "base/thread.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace holdfast::base {

std::thread start_thread(const char* name, std::function<void()> body) {
  // Signals are blocked before the start, because the new thread inherits the mask.
  struct Masked {
    Masked() {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~Masked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
    sigset_t before{};
  } masked;

  std::thread thread(std::move(body));
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace holdfast::base

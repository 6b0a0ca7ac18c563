// SPDX-License-Identifier: Apache-2.0

// bench/rivals/robust_mutex.h - a robust, process-shared pthread mutex in a file.

#pragma once

#include <pthread.h>

#include <cerrno>
#include <string>

#include "../arena.h"

namespace holdfast::bench {

class RobustMutex {
 public:
  explicit RobustMutex(const std::string& path)
      : shared_(path, [](pthread_mutex_t& mutex) {
          pthread_mutexattr_t attributes;
          pthread_mutexattr_init(&attributes);
          pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
          pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
          pthread_mutex_init(&mutex, &attributes);
          pthread_mutexattr_destroy(&attributes);
        }) {}
  void lock() {
    if (pthread_mutex_lock(shared_.get()) == EOWNERDEAD) {
      pthread_mutex_consistent(shared_.get());
    }
  }
  void unlock() { pthread_mutex_unlock(shared_.get()); }

 private:
  Arena<pthread_mutex_t> shared_;
};

}  // namespace holdfast::bench

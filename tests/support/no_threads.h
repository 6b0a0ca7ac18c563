// SPDX-License-Identifier: Apache-2.0

// tests/support/no_threads.h - a system that gives no thread.
//
//   const NoThreads none;
//   EXPECT_THROW(std::thread([] {}), std::system_error);

#pragma once

#include <pthread.h>

#include <cstddef>

namespace holdfast::test {

// While it lives, no thread can be started, because its stack would be larger than the
// memory.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 47);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

}  // namespace holdfast::test

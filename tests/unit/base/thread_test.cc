// SPDX-License-Identifier: Apache-2.0

#include "base/thread.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>
#include <string>

namespace holdfast::base {
namespace {

TEST(ThreadTest, BlocksEverySignalThatCanBe) {
  sigset_t ours;
  pthread_sigmask(SIG_SETMASK, nullptr, &ours);
  sigset_t theirs;
  start_thread("holdfast-test", [&] {
    pthread_sigmask(SIG_SETMASK, nullptr, &theirs);
  }).join();
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGUSR1, SIGALRM}) {
    EXPECT_TRUE(sigismember(&theirs, signal)) << signal;
  }
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&after, SIGTERM), sigismember(&ours, SIGTERM));
}

}  // namespace
}  // namespace holdfast::base

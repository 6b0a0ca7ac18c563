// SPDX-License-Identifier: Apache-2.0

// These tests are about sandboxes that refuse system calls.

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <thread>

#include "holdfast/client.h"
#include "support/sanitizers.h"
#include "support/temp_dir.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

void refuse(long call) {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{4, rules};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(2);
}

// Returns the exit code of a child that may not use that system call.
int in_sandbox(long call, int (*deed)(const std::string& url)) {
  const TempDir dir;
  const std::string url = "local://" + dir.file("segment");
  const pid_t child = fork();
  if (child == 0) {
    refuse(call);
    _exit(deed(url));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SandboxTest, WithoutRobustFutexesNothingIsOpened) {
  if (kThreadSanitizer) GTEST_SKIP() << "no threads in a child under TSan";
  EXPECT_EQ(
      in_sandbox(SYS_set_robust_list,
                 [](const std::string& url) {
                   const auto client = Client::open(url);
                   return client ? 1 : client.error().code == Errc::unsupported ? 0 : 2;
                 }),
      0);
}

TEST(SandboxTest, WithoutFutexWaitvIdleClientsSleep) {
  if (kThreadSanitizer) GTEST_SKIP() << "no threads in a child under TSan";
  EXPECT_EQ(in_sandbox(SYS_futex_waitv,
                       [](const std::string& url) {
                         const Client one = Client::open(url).value();
                         const Client two = Client::open(url).value();
                         std::this_thread::sleep_for(1s);
                         rusage used{};
                         getrusage(RUSAGE_SELF, &used);
                         const auto switches = used.ru_nvcsw + used.ru_nivcsw;
                         return switches < 1000 && used.ru_utime.tv_sec == 0 &&
                                        used.ru_stime.tv_usec + used.ru_utime.tv_usec <
                                            200'000
                                    ? 0
                                    : 1;
                       }),
            0);
}

}  // namespace
}  // namespace holdfast::test

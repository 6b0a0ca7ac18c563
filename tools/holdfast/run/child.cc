// SPDX-License-Identifier: Apache-2.0

#include "run/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "run/descriptor.h"

namespace holdfast::cli {
namespace {

// Returns whether the number will be free once the command is executed.
bool is_free(int number, const std::array<int, 3>& needed) {
  if (std::find(needed.begin(), needed.end(), number) != needed.end()) return false;
  const int flags = fcntl(number, F_GETFD);
  return flags < 0 || (flags & FD_CLOEXEC) != 0;
}

// The number has one digit, since a plain sh can name no other, and is high, since
// scripts begin with low ones.
int place_for_shells(int fd, const std::array<int, 3>& needed) {
  for (int number = 9; number > 2; --number) {
    if (is_free(number, needed) && dup2(fd, number) == number) return number;
  }
  return fcntl(fd, F_DUPFD, 10);
}

[[noreturn]] void give_up(int failure) {
  const int why = errno;
  (void)!write(failure, &why, sizeof why);
  _exit(127);
}

[[noreturn]] void become(const Launch& launch, pid_t parent, int failure) {
  setpgid(0, launch.group);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent ended before the line above.
  if (getppid() != parent) _exit(128 + SIGKILL);

  for (const auto& [name, value] : launch.environment) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  const int lost_fd =
      place_for_shells(launch.lost_fd, {launch.lost_fd, launch.liveness_fd, failure});
  const bool guarded =
      launch.liveness_fd < 0 || fcntl(launch.liveness_fd, F_DUPFD, 10) >= 0;
  if (lost_fd < 0 || !guarded) {
    errno = EMFILE;  // The kernel reports a number beyond the limit as invalid.
    give_up(failure);
  }
  setenv("HOLDFAST_LOST_FD", std::to_string(lost_fd).c_str(), 1);

  std::vector<char*> argv;
  for (const std::string& each : launch.command) {
    argv.push_back(const_cast<char*>(each.c_str()));
  }
  argv.push_back(nullptr);
  give_back_signals(launch.signals);
  execvp(argv[0], argv.data());
  give_up(failure);
}

}  // namespace

Started start_child(const Launch& launch) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {-1, errno};
  const Descriptor failure(ends[0]);
  Descriptor report(ends[1]);

  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return {-1, errno};
  if (pid == 0) become(launch, parent, report.get());
  setpgid(pid, launch.group);
  report.reset();

  int why = 0;
  ssize_t size;
  do {
    size = read(failure.get(), &why, sizeof why);
  } while (size < 0 && errno == EINTR);
  if (size != sizeof why) return {pid, 0};
  waitpid(pid, nullptr, 0);
  return {-1, why};
}

}  // namespace holdfast::cli

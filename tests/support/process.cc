// SPDX-License-Identifier: Apache-2.0

#include "support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "support/eventually.h"

namespace holdfast::test {
namespace {

void require(bool good, int why, const std::string& what) {
  if (!good) throw std::system_error(why, std::generic_category(), what);
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& each : strings) result.push_back(each.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> inherited_and(std::vector<std::string> more) {
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view line(*each);
    const std::string_view name = line.substr(0, line.find('=') + 1);
    bool replaced = false;
    for (const std::string& own : more) replaced |= own.starts_with(name);
    if (!replaced) more.emplace_back(line);
  }
  return more;
}

}  // namespace

Process::Process(std::vector<std::string> command,
                 std::vector<std::string> environment) {
  int in[2];  // It is a socket, so that writing to a dead process raises no SIGPIPE.
  int out[2];
  require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) == 0, errno, "pair");
  require(pipe2(out, O_CLOEXEC) == 0, errno, "pipe");

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  // A client library in this process may ignore SIGPIPE, and a child would inherit
  // that.
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &broken_pipe);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  environment = inherited_and(std::move(environment));
  const int why = posix_spawnp(&pid_, command.front().c_str(), &actions, &attributes,
                               pointers(command).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
  if (why != 0) {
    close(to_);
    close(from_);
  }
  require(why == 0, why, "spawn " + command.front());
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      to_(std::exchange(other.to_, -1)),
      from_(std::exchange(other.from_, -1)),
      unread_(std::move(other.unread_)),
      status_(other.status_) {}

Process::~Process() {
  close_stdin();
  if (from_ >= 0) close(from_);
  if (pid_ < 0 || status_) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Process::write_line(std::string_view line) {
  const std::string whole = std::string(line) + "\n";
  std::size_t done = 0;
  while (done < whole.size()) {
    const ssize_t n = send(to_, whole.data() + done, whole.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

void Process::close_stdin() noexcept {
  if (to_ >= 0) close(std::exchange(to_, -1));
}

std::optional<std::string> Process::read_line(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    if (const std::size_t at = unread_.find('\n'); at != std::string::npos) {
      std::string line = unread_.substr(0, at);
      unread_.erase(0, at + 1);
      return line;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() < 0) return std::nullopt;
    pollfd readable{from_, POLLIN, 0};
    if (poll(&readable, 1, static_cast<int>(left.count()) + 1) <= 0) continue;
    char buffer[4096];
    const ssize_t n = read(from_, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    unread_.append(buffer, static_cast<std::size_t>(n));
  }
}

void Process::signal(int number) noexcept {
  if (!status_) kill(pid_, number);
}

void Process::pause() {
  signal(SIGSTOP);
  int status = 0;
  if (waitpid(pid_, &status, WUNTRACED) < 0 || !WIFSTOPPED(status)) {
    throw std::runtime_error("the process " + std::to_string(pid_) + " does not stop");
  }
}

std::optional<int> Process::wait(std::chrono::milliseconds limit) {
  const auto ended = [this] {
    if (status_) return true;
    int raw = 0;
    if (waitpid(pid_, &raw, WNOHANG) != pid_) return false;
    status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    return true;
  };
  if (!eventually(ended, limit)) return std::nullopt;
  return status_;
}

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "servers/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include "errors.h"

namespace holdfast::shop {
namespace {

using ChildClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenReads{5};

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) { interrupted = true; }

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

pid_t spawn(std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int error =
      posix_spawnp(&pid, words[0], &actions, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw Trouble(kUnavailable,
                  "cannot start " + command[0] + ": " + std::strerror(error));
  }
  return pid;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
}

void throw_if_interrupted() {
  if (interrupted) throw Trouble(kInterrupted, "interrupted");
}

void await_interrupt() {
  while (!interrupted) std::this_thread::sleep_for(kBetweenReads);
}

Child::Child(std::vector<std::string> command, std::string log)
    : name_(command.at(0)), log_(std::move(log)) {
  // The shop may be killed before the new process has asked to die with it.
  command.insert(command.begin(),
                 {"setpriv", "--pdeathsig", "KILL", "sh", "-c",
                  R"([ "$PPID" = "$0" ] && exec "$@")", std::to_string(getpid())});
  pid_ = spawn(command, log_);
}

Child::Child(Child&& other) noexcept
    : name_(std::move(other.name_)),
      log_(std::move(other.log_)),
      pid_(std::exchange(other.pid_, -1)) {}

Child& Child::operator=(Child&& other) noexcept {
  kill();
  name_ = std::move(other.name_);
  log_ = std::move(other.log_);
  pid_ = std::exchange(other.pid_, -1);
  return *this;
}

Child::~Child() { kill(); }

bool Child::reaped(int flags) const noexcept {
  if (pid_ < 0) return true;
  pid_t found = 0;
  int status = 0;
  while ((found = waitpid(pid_, &status, flags)) < 0 && errno == EINTR) {
  }
  if (found == pid_) {
    pid_ = -1;
    ended_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return pid_ < 0;
}

bool Child::has_said(const std::string& text) const {
  return contents(log_).find(text) != std::string::npos;
}

bool Child::running() const { return !reaped(WNOHANG); }

int Child::wait(std::chrono::seconds limit) const {
  const auto end = ChildClock::now() + limit;
  while (running() && ChildClock::now() < end) {
    throw_if_interrupted();
    std::this_thread::sleep_for(kBetweenReads);
  }
  return ended_;
}

std::string Child::end_of_log() const {
  constexpr std::size_t kEnough = 1500;
  const std::string all = contents(log_);
  return all.substr(all.size() - std::min(all.size(), kEnough));
}

std::string Child::await(const std::string& text, std::chrono::seconds limit) const {
  const auto end = ChildClock::now() + limit;
  for (;;) {
    const bool alive = running();  // asked before the log is read, which is then whole
    const std::string log = contents(log_);
    const std::size_t at = log.find(text);
    const std::size_t line_end = at == log.npos ? log.npos : log.find('\n', at);
    if (line_end != log.npos) {
      return log.substr(at + text.size(), line_end - at - text.size());
    }
    if (!alive || ChildClock::now() > end) {
      throw Trouble(kUnavailable, name_ + " does not start: " + end_of_log());
    }
    throw_if_interrupted();
    std::this_thread::sleep_for(kBetweenReads);
  }
}

void Child::stop(std::chrono::milliseconds limit) noexcept {
  if (pid_ < 0) return;
  ::kill(pid_, SIGTERM);
  const auto end = ChildClock::now() + limit;
  while (!reaped(WNOHANG) && ChildClock::now() < end) {
    std::this_thread::sleep_for(kBetweenReads);
  }
  kill();
}

void Child::kill() noexcept {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  reaped(0);
}

void Child::pause() {
  ::kill(pid_, SIGSTOP);
  while (waitpid(pid_, nullptr, WUNTRACED) < 0 && errno == EINTR) {
  }
}

void Child::resume() { ::kill(pid_, SIGCONT); }

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

#include "process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "errors.h"

namespace holdfast::demo {
namespace {

constexpr std::chrono::nanoseconds kLead = std::chrono::milliseconds(50);

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) { interrupted = true; }

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      throw Trouble(kInternal, std::string("no pipe to a shop: ") + strerror(errno));
    }
    read_end = ends[0];
    write_end = ends[1];
  }
};

std::vector<std::string> arguments(const ShopOptions& o) {
  std::vector<std::string> words = {"holdfast", "demo", "shop"};
  words.push_back("--lock=" + o.lock);
  words.push_back("--number=" + std::to_string(o.number));
  words.push_back("--strategy=" + std::to_string(o.strategy));
  words.push_back("--threads=" + std::to_string(o.threads));
  words.push_back("--requests=" + std::to_string(o.requests));
  words.push_back("--cap=" + std::to_string(o.cap_s));
  words.push_back("--hold-after=" + std::to_string(o.hold_after));
  if (o.crash_scene) words.push_back("--crash-scene");
  if (o.pause_scene) words.push_back("--pause-scene");
  return words;
}

// Reads until the buffer is full, or less at the end of the stream.
std::size_t read_full(int fd, void* buffer, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = read(fd, static_cast<char*>(buffer) + done, size - done);
    if (interrupted) throw Trouble(kInterrupted, "interrupted");
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;  // Without SA_RESTART, reads end with EINTR.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
}

ShopProcess::ShopProcess(const ShopOptions& options) {
  const Pipe in;
  const Pipe out;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
  std::vector<std::string> words = arguments(options);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int error =
      posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in.read_end);
  close(out.write_end);
  in_ = in.write_end;
  out_ = out.read_end;
  if (error != 0) {
    close(in_);
    close(out_);
    throw Trouble(kInternal, std::string("cannot start a shop: ") + strerror(error));
  }
}

ShopProcess::ShopProcess(ShopProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      in_(std::exchange(other.in_, -1)),
      out_(std::exchange(other.out_, -1)) {}

ShopProcess::~ShopProcess() {
  if (pid_ >= 0) {
    kill();
    wait();
  }
  if (in_ >= 0) close(in_);
  if (out_ >= 0) close(out_);
}

void ShopProcess::wait() {
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

void ShopProcess::wait_until_ready() {
  char word = 0;
  if (read_full(out_, &word, 1) != 1 || word != kReady) {
    throw Trouble(kInternal, "a shop did not open; its own message is above");
  }
}

void ShopProcess::start_at(std::int64_t steady_ns) {
  if (write(in_, &steady_ns, sizeof steady_ns) != sizeof steady_ns) {
    throw Trouble(kInternal, "a shop closed too early");
  }
}

bool ShopProcess::next(Sample& sample) {
  return read_full(out_, &sample, sizeof sample) == sizeof sample;
}

void ShopProcess::kill() { ::kill(pid_, SIGKILL); }

void ShopProcess::stop() {
  ::kill(pid_, SIGSTOP);
  while (waitpid(pid_, nullptr, WUNTRACED) < 0 && errno == EINTR) {
  }
}

void ShopProcess::go_on() { ::kill(pid_, SIGCONT); }

void start_together(std::span<ShopProcess> shops) {
  for (ShopProcess& shop : shops) shop.wait_until_ready();
  const std::int64_t start = steady_ns() + kLead.count();
  for (ShopProcess& shop : shops) shop.start_at(start);
}

}  // namespace holdfast::demo

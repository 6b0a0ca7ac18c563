// SPDX-License-Identifier: Apache-2.0

#include "support/victim_work.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <fstream>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "holdfast/client_options.h"
#include "holdfast/clock.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/journal.h"

namespace holdfast::test {

std::string count(const Client& client, std::istream& words) {
  std::string path;
  std::string name;
  int times = 0;
  words >> path >> times >> name;
  Mutex mutex(client, name);
  for (int i = 0; i < times; ++i) {
    std::scoped_lock guard(mutex);
    long number = 0;
    std::ifstream(path) >> number;
    std::ofstream(path) << number + 1 << '\n';
  }
  return {};
}

std::string storm(const Client& client, std::istream& words) {
  std::string path;
  std::string name;
  long span = 0;
  words >> path >> span >> name;
  Mutex mutex(client, name);
  Journal journal(path);
  long done = 0;
  for (const auto end = Clock::now() + std::chrono::milliseconds(span);
       Clock::now() < end;) {
    std::scoped_lock guard(mutex);
    journal.append(mutex.token());
    ++done;
  }
  return std::to_string(done);
}

// Runs in a child, and returns its exit status.
static int lock_many(const std::string& url) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  ClientOptions options;
  options.log = [](LogLevel, std::string_view) {};
  auto client = Client::open(url, options);
  if (!client) return 1;
  std::deque<Mutex> mutexes;
  std::vector<Hold> holds;
  for (int i = 0; i < 100; ++i) {
    const auto name = std::to_string(getpid()) + "-" + std::to_string(i);
    auto hold = mutexes.emplace_back(*client, name).acquire();
    if (!hold || hold->lost().stop_requested()) return 2;
    holds.push_back(*std::move(hold));
  }
  return 0;
}

std::string children(const Client& client, std::istream& words) {
  std::string url;
  int number = 0;
  words >> url >> number;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&client, i](const std::stop_token& over) {
      Mutex mutex(client, "busy-" + std::to_string(i % 2));
      while (!over.stop_requested()) {
        const auto hold = mutex.acquire({.wait = std::chrono::milliseconds(20)});
        if (hold) (void)hold->lost();
      }
    });
  }
  for (int i = 0; i < number; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(lock_many(url));
    int status = 0;
    if (!eventually([&] { return waitpid(child, &status, WNOHANG) == child; })) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return "child " + std::to_string(i) + " hung";
    }
    if (status != 0) return "child " + std::to_string(i) + " failed";
  }
  return std::to_string(number);
}

std::string names(const Client& client, std::istream& words) {
  int number = 0;
  std::string prefix;
  words >> number >> prefix;
  std::deque<Mutex> mutexes;
  for (int i = 0; i < number; ++i) {
    mutexes.emplace_back(client, prefix + std::to_string(i)).lock();
  }
  return std::to_string(mutexes.size());
}

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// bench/walk/main.cc - one lock call at a time, for scripts/walk.sh to count what runs.
//
//   valgrind --tool=callgrind holdfast_walk URL       dumps what each call has run
//   holdfast_walk end URL NAME TOKEN                  ends a hold, from another process
//
// Each call is made more than once, and the script takes the cheapest or the last:
// connections are then open, and what is made once for a name or a thread is there.

#include <holdfast/admin.h>
#include <holdfast/client.h>
#include <holdfast/mutex.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <semaphore>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;

// While it lives, the calls of all threads are counted, and then dumped under the name
// of a phase.
class Counted {
 public:
  explicit Counted(const char* phase) : phase_(phase) { CALLGRIND_ZERO_STATS; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { CALLGRIND_DUMP_STATS_AT(phase_); }

 private:
  const char* phase_;
};

// The call is repeated, so that at least once nothing else, such as a timer, comes
// between.
void walk_free(holdfast::Mutex& mutex) {
  for (int i = 0; i < 10; ++i) {
    {
      const Counted counted("free");
      mutex.lock();
    }
    {
      const Counted counted("unlock");
      mutex.unlock();
    }
  }
}

// One client holds the lock for 1.5 s while another waits for it, so that the renewal
// and the wake-up are counted too.
void walk_taken(holdfast::Mutex& ours, holdfast::Mutex& theirs) {
  theirs.lock();
  std::jthread waiter;
  {
    const Counted counted("taken");
    waiter = std::jthread([&] { ours.lock(); });
    std::this_thread::sleep_for(1500ms);
    theirs.unlock();
    waiter.join();
  }
  ours.unlock();
}

// Ends the hold that has this token. Another process does it, so that it is not
// counted.
void end_elsewhere(const char* program, const std::string& url,
                   const holdfast::Mutex& mutex) {
  std::string role = "end";
  std::string where = url;
  std::string name(mutex.name());
  std::string token = std::to_string(mutex.token().value);
  std::string path = program;
  char* argv[] = {path.data(), role.data(),  where.data(),
                  name.data(), token.data(), nullptr};
  pid_t pid = -1;
  int status = 0;
  if (posix_spawn(&pid, program, nullptr, nullptr, argv, environ) != 0 ||
      waitpid(pid, &status, 0) != pid || status != 0) {
    throw std::runtime_error("the hold could not be ended");
  }
}

void walk_lost(holdfast::Mutex& mutex, const char* program, const std::string& url) {
  mutex.lock();
  {
    std::binary_semaphore told(0);
    const std::stop_callback callback(mutex.lost(), [&] { told.release(); });
    const Counted counted("lost");
    end_elsewhere(program, url, mutex);
    told.acquire();
  }
  mutex.unlock();
}

int end_hold(const char* url, const char* name, const char* token) {
  const auto client = holdfast::Client::open(url).value();
  const auto ended =
      holdfast::end_hold(client, name, {std::strtoull(token, nullptr, 10)});
  return ended ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 5 && std::string(argv[1]) == "end") {
    return end_hold(argv[2], argv[3], argv[4]);
  }
  if (argc != 2) {
    std::cerr << "usage: holdfast_walk URL\n";
    return 64;
  }
  const std::string url = argv[1];
  const auto client = holdfast::Client::open(url).value();
  const auto other = holdfast::Client::open(url).value();
  holdfast::Mutex mutex(client, "walk");
  holdfast::Mutex theirs(other, "walk");
  walk_free(mutex);
  walk_taken(mutex, theirs);
  walk_taken(mutex, theirs);
  walk_lost(mutex, argv[0], url);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "holdfast_walk: " << error.what() << '\n';
  return 1;
}

// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <atomic>
#include <deque>
#include <fstream>
#include <latch>
#include <stdexcept>
#include <thread>

#include "holdfast/holdfast.h"
#include "timing.h"
#include "workload.h"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kWaiters = 1000;
constexpr int kReleases = 20;
constexpr const char* kWaitersName = "waiters";

// Each thread waits for the lock once and does nothing more when it has it: the
// benchmark goes on by unlocking its mutex, which any thread may do.
class WaitingThreads {
 public:
  explicit WaitingThreads(const Client& client) {
    for (std::size_t i = 0; i < kWaiters; ++i)
      mutexes_.emplace_back(client, kWaitersName);
    for (std::size_t i = 0; i < kWaiters; ++i) {
      threads_.emplace_back([this, i] {
        tids_[i] = gettid();
        mutexes_[i].lock();
        holder_ = &mutexes_[i];
        over_.wait();
      });
    }
  }
  ~WaitingThreads() { over_.count_down(); }

  // Passes the lock on and returns when another thread has it.
  Mutex* pass(Mutex* from) {
    holder_ = nullptr;
    from->unlock();
    while (holder_ == nullptr) std::this_thread::sleep_for(1ms);
    return holder_;
  }

  // Returns how often each thread has gone to sleep.
  std::vector<std::int64_t> sleeps() const {
    std::vector<std::int64_t> counts;
    for (const pid_t tid : tids_) {
      std::ifstream file("/proc/self/task/" + std::to_string(tid) + "/status");
      std::string word;
      std::int64_t count = -1;
      while (file >> word && word != "voluntary_ctxt_switches:") {
      }
      file >> count;
      counts.push_back(count);
    }
    return counts;
  }

 private:
  std::latch over_{1};
  std::atomic<Mutex*> holder_ = nullptr;
  std::vector<pid_t> tids_ = std::vector<pid_t>(kWaiters);
  std::deque<Mutex> mutexes_;
  std::vector<std::jthread> threads_;
};

void wait_until_queued(const Client& client) {
  const auto deadline = Clock::now() + 60s;
  const auto resource =
      client.session().bind({engine::Kind::mutex, kWaitersName}).value();
  while (resource->survey(2 * kWaiters, deadline).value().size() < kWaiters + 1) {
    if (Clock::now() > deadline) throw std::runtime_error("waiters: no queue came up");
    std::this_thread::sleep_for(10ms);
  }
  std::this_thread::sleep_for(200ms);  // The last threads fall asleep meanwhile.
}

// Returns how many threads woke up while `deed` ran and shortly after.
template <class Deed>
int woken_by(const WaitingThreads& crowd, Deed deed) {
  const auto before = crowd.sleeps();
  deed();
  std::this_thread::sleep_for(10ms);
  const auto after = crowd.sleeps();
  int woken = 0;
  for (std::size_t i = 0; i < before.size(); ++i) woken += before[i] != after[i];
  return woken;
}

}  // namespace

void waiters(const Context&, Report& report) {
  const Client client = Client::open().value();
  Mutex first(client, kWaitersName);
  first.lock();
  WaitingThreads crowd(client);
  wait_until_queued(client);
  Mutex* holder = &first;
  // Medians are used, because every few seconds each waiter checks by itself, which the
  // release has not caused.
  std::vector<double> idle;
  std::vector<double> woken;
  for (int i = 0; i < kReleases; ++i) {
    idle.push_back(woken_by(crowd, [] {}));
    woken.push_back(woken_by(crowd, [&] { holder = crowd.pass(holder); }));
  }
  for (std::size_t i = kReleases; i < kWaiters; ++i) holder = crowd.pass(holder);
  holder->unlock();
  report.add({"waiters", "1,000 wait: woken without a release", median(idle), "threads",
              Target::count_at_most(0)});
  report.add({"waiters", "1,000 wait: woken by one release", median(woken), "threads",
              Target::count_at_most(1)});
}

}  // namespace holdfast::bench

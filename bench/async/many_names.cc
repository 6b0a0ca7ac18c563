// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <future>
#include <semaphore>
#include <stdexcept>
#include <thread>

#include "async/measured_engine.h"
#include "async/workloads.h"
#include "contestant.h"
#include "histogram.h"
#include "holdfast/holdfast.h"
#include "timing.h"
#include "usage.h"

namespace holdfast::bench::async {

using holdfast::Result;  // and not a report's

namespace {

using namespace std::chrono_literals;

constexpr const char* kNames = "many-names";
constexpr std::chrono::minutes kEnough(5);
// Entries are kept many at a time: so many commands in a second, and so many more for
// each waiter.
constexpr double kManyNamesMostCommands = 10;
constexpr double kMostPerWaiter = 0.01;

std::string name_of(std::size_t i) { return "async/many/" + std::to_string(i); }

// Calls are counted when they are done.
class Countdown {
 public:
  explicit Countdown(std::size_t calls) : left_(calls) {}
  void done() {
    if (left_.fetch_sub(1) == 1) last_.set_value();
  }
  void wait() {
    if (last_.get_future().wait_for(kEnough) != std::future_status::ready) {
      throw std::runtime_error(std::to_string(left_) +
                               " calls were not done in five minutes");
    }
  }

 private:
  std::atomic<std::size_t> left_;
  std::promise<void> last_;
};

// Locks that one client holds, so that another waits for all of them. The leases are so
// long that none is renewed meanwhile.
class Held {
 public:
  Held(const MeasuredEngine& measured, std::size_t number)
      : client_(open_client(measured.url)), holds_(number) {
    Countdown all(number);
    for (std::size_t i = 0; i < number; ++i) {
      Mutex(client_, name_of(i), {.ttl = 10min})
          .acquire_async([this, i, &all](Result<Hold> hold) {
            holds_[i] = std::move(hold).value();
            all.done();
          });
    }
    all.wait();
  }
  void release(std::size_t i) {
    holds_[i].release_async([](const Result<void>& released) { released.value(); });
  }

 private:
  Client client_;
  std::vector<Hold> holds_;
};

// One waiter on each name, without a thread.
class Waiters {
 public:
  Waiters(const MeasuredEngine& measured, Held& held, std::size_t number)
      : client_(open_client(measured.url)), held_(held), released_ns_(number) {
    Mutex(client_, kFreeName).acquire().value().release().value();
    threads_ = threads_of(getpid());
    wait_for_runner(client_);
  }
  ~Waiters() { client_.close(); }

  // Makes the names known to the client by asking once for each.
  void name_all() {
    Countdown all(released_ns_.size());
    for (std::size_t i = 0; i < released_ns_.size(); ++i) {
      mutexes_.emplace_back(client_, name_of(i))
          .acquire_async({.wait = 0s}, [&all](const Result<Hold>&) { all.done(); });
    }
    all.wait();
  }

  void enter(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      mutexes_[i].acquire_async([this, i](Result<Hold> hold) {
        if (hold) on_grant(i, std::move(*hold));
      });
    }
    wait_for_runner(client_);
  }

  // Returns how many threads the asynchronous calls have started.
  double threads() const { return threads_of(getpid()) - threads_; }

  // Has the locks from `first` to `end` released, `at_once` of them at a time, and
  // waits until each was granted to its waiter.
  void hand_over(std::size_t first, std::size_t end, std::size_t at_once) {
    Countdown all(end - first);
    all_ = &all;
    handovers_ = {};
    next_ = first;
    end_ = end;
    const std::int64_t start = now_ns();
    for (std::size_t i = 0; i < at_once; ++i) release_next();
    all.wait();
    rate_ =
        static_cast<double>(end - first) * 1e9 / static_cast<double>(now_ns() - start);
  }
  void tell(const std::string& what, Report& report) const {
    report.add_row(kNames, what,
                   {{"grants/s", rate_},
                    {"p50 us", 1e3 * handovers_.percentile_ms(0.5)},
                    {"p99 us", 1e3 * handovers_.percentile_ms(0.99)}});
  }

 private:
  void release_next() {
    const std::size_t i = next_.fetch_add(1);
    if (i >= end_) return;
    released_ns_[i] = now_ns();
    held_.release(i);
  }

  // Only the client's runner calls it, so that the histogram needs no lock.
  void on_grant(std::size_t i, Hold hold) {
    handovers_.add(now_ns() - released_ns_[i]);
    release_next();
    hold.release_async([this](const Result<void>&) { all_->done(); });
  }

  Client client_;
  double threads_ = 0;  // before the first asynchronous call
  Held& held_;
  std::deque<Mutex> mutexes_;
  std::vector<std::int64_t> released_ns_;
  Countdown* all_ = nullptr;
  std::atomic<std::size_t> next_ = 0;
  std::size_t end_ = 0;
  Histogram handovers_;
  double rate_ = 0;
};

void measure_crowd_of_names(const Context& context, const MeasuredEngine& measured,
                            Report& report) {
  const std::size_t number = context.smoke ? 1'000 : 100'000;
  const std::size_t sample = context.smoke ? 50 : 1'000;
  const auto each = static_cast<double>(number);
  const std::string what =
      measured.engine + ", " + spell_waiters(static_cast<std::int64_t>(number));
  Held held(measured, number);
  Waiters waiters(measured, held, number);
  const double before = heap_bytes();
  waiters.name_all();
  const double named = heap_bytes();
  waiters.enter(0, kFew);
  const double few = waiters.threads();
  const double heap = heap_bytes();
  waiters.enter(kFew, number);
  const double entered = heap_bytes() - heap;
  report.add({kNames, what + ": memory of a name", (named - before) / each, "bytes"});
  report.add({kNames, what + ": memory of a waiter", entered / (each - kFew), "bytes"});
  report.add({kNames, what + ": threads for 64 of them", few, ""});
  report.add({kNames, what + ": threads for the others", waiters.threads() - few, "",
              Target::count_at_most(measured.most_threads)});
  const MeasuredEngine::Rest rest =
      context.smoke ? MeasuredEngine::Rest{6s, 2s} : MeasuredEngine::Rest{20s, 10s};
  measured.tell_rest(kNames, what, kManyNamesMostCommands + kMostPerWaiter * each, rest,
                     report);
  waiters.hand_over(0, sample, 1);
  waiters.tell(what + ", one at a time", report);
  waiters.hand_over(sample, number, kFew);
  waiters.tell(what + ", 64 at a time", report);
}

// The same with a thread for each waiter, one at a time.
void measure_threads(const Context& context, const MeasuredEngine& measured,
                     Report& report) {
  Histogram handovers;
  const Client client = open_client(measured.url);
  for (int round = 0; round < context.rounds(16); ++round) {
    Held held(measured, kFew);
    std::atomic<std::int64_t> released_ns = 0;
    std::binary_semaphore granted(0);
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kFew; ++i) {
      threads.emplace_back([&, i] {
        const Hold hold = Mutex(client, name_of(i)).acquire().value();
        handovers.add(now_ns() - released_ns);
        granted.release();
      });
    }
    std::this_thread::sleep_for(100ms);  // By then they wait.
    for (std::size_t i = 0; i < kFew; ++i) {
      released_ns = now_ns();
      held.release(i);
      granted.acquire();
    }
  }
  report.add_row(kNames, measured.engine + ", 64 threads, one at a time",
                 {{"p50 us", 1e3 * handovers.percentile_ms(0.5)},
                  {"p99 us", 1e3 * handovers.percentile_ms(0.99)}});
}

}  // namespace

void many_names(const Context& context, Report& report) {
  for (const MeasuredEngine& measured : measured_engines(context)) {
    measure_crowd_of_names(context, measured, report);
    measure_threads(context, measured, report);
  }
}

}  // namespace holdfast::bench::async

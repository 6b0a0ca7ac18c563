// SPDX-License-Identifier: Apache-2.0

#include "shop.h"

#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "errors.h"
#include "lock.h"

namespace holdfast::demo {
namespace {

void tell(const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = write(STDOUT_FILENO, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Trouble(kInternal, "no process reads what the shop sells");
    at += n;
    size -= static_cast<std::size_t>(n);
  }
}

// Shops stand for separate machines, so each has a core of its own, as far as there are
// enough.
void move_to_own_core(int number) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  int skip = number % CPU_COUNT(&allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || skip-- > 0) continue;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(cpu, &own);
    sched_setaffinity(0, sizeof own, &own);
    return;
  }
}

// Reads a moment that the parent process sends.
std::int64_t hear() {
  std::int64_t start_ns = 0;
  ssize_t n = 0;
  do {
    n = read(STDIN_FILENO, &start_ns, sizeof start_ns);
  } while (n < 0 && errno == EINTR);
  if (n != sizeof start_ns) throw Trouble(kInternal, "the sale was called off");
  return start_ns;
}

// Says that the shop is ready, and returns the moment at which the sale begins.
std::int64_t hear_of_the_start() {
  tell(&kReady, 1);
  return hear();
}

// Runs `customer(connection, thread)` in every thread. The threads spin until the
// start, so that all of them, in all shops, begin at the same moment.
template <class Customer>
void serve(const ShopOptions& options, const Customer& customer) {
  move_to_own_core(options.number);
  std::vector<std::unique_ptr<StockConnection>> connections;
  connections.reserve(static_cast<std::size_t>(options.threads));
  for (int i = 0; i < options.threads; ++i)
    connections.push_back(open_stock(options.store));
  const std::int64_t start_ns = hear_of_the_start();
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < connections.size(); ++i) {
    threads.emplace_back([&, i] {
      while (steady_ns() < start_ns) std::this_thread::yield();
      customer(*connections[i], i);
    });
  }
}

Sample buy(Strategy& strategy, StockConnection& connection) {
  Sample sample{.started_ns = steady_ns()};
  try {
    const Purchase purchase = strategy.buy(connection);
    sample.outcome = purchase.outcome;
    sample.retries = purchase.retries;
  } catch (const std::exception&) {
    sample.outcome = Outcome::failed;
  }
  sample.ended_ns = steady_ns();
  return sample;
}

}  // namespace

std::int64_t steady_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

void run_shop(const ShopOptions& options) {
  const auto strategy = make_strategy(options.strategy, options.lock);
  const auto n = static_cast<std::size_t>(options.threads);
  const auto requests = static_cast<std::size_t>(options.requests);
  std::vector<std::vector<Sample>> samples(n);
  serve(options, [&](StockConnection& connection, std::size_t thread) {
    const auto end = steady_ns() + seconds(options.cap_s).count();
    const std::size_t share = requests / n + (thread < requests % n ? 1 : 0);
    std::vector<Sample>& mine = samples[thread];
    mine.reserve(share);
    while (mine.size() < share && steady_ns() < end) {
      mine.push_back(buy(*strategy, connection));
      if (mine.back().outcome == Outcome::sold_out) return;
    }
  });
  for (const auto& some : samples) tell(some.data(), some.size() * sizeof(Sample));
}

void run_crash_shop(const ShopOptions& options) {
  using namespace std::chrono_literals;
  Mutex mutex(open_client(kShortTtl), options.lock);
  int sold = 0;  // guarded by the mutex
  const auto sell = [&](StockConnection& connection) {
    const std::scoped_lock guard(mutex);
    Sample sample{.started_ns = steady_ns(), .outcome = Outcome::sold};
    const Stock stock = connection.read();
    if (stock.count <= 0) return false;
    if (sold == options.hold_after) {
      sample.holding = true;
      tell(&sample, sizeof sample);
      for (;;) pause();
    }
    connection.write(stock.count - 1);
    sample.ended_ns = steady_ns();
    ++sold;
    tell(&sample, sizeof sample);
    return true;
  };
  serve(options, [&](StockConnection& connection, std::size_t) {
    for (bool open = true; open; std::this_thread::sleep_for(1ms)) {
      try {
        open = sell(connection);
      } catch (const DatabaseError&) {
        // Nothing was sold, and the customer tries again.
      }
    }
  });
}

void run_pause_shop(const ShopOptions& options) {
  using namespace std::chrono_literals;
  const auto connection = open_stock(options.store);
  Mutex mutex(open_client(kShortTtl), options.lock, LeaseOptions::fixed(500ms));
  hear_of_the_start();
  const auto hold = mutex.acquire().value();
  const Stock stock = connection->read();
  Sample sample{.holding = true, .token = hold.token().value};
  tell(&sample, sizeof sample);
  hear();
  sample.knew = !hold.valid();
  sample.outcome = connection->write_fenced(stock.count - 1, hold.token().value)
                       ? Outcome::sold
                       : Outcome::failed;
  tell(&sample, sizeof sample);
}

}  // namespace holdfast::demo

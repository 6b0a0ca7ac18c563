// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

#include "arena.h"
#include "child.h"
#include "contestant.h"
#include "holdfast/holdfast.h"
#include "roles.h"
#include "timing.h"
#include "workload.h"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kProcesses = 4;
constexpr std::size_t kThreads = 16;  // in each process
constexpr int kReadersRounds = 5;     // without and with the writer, in turn
constexpr std::chrono::milliseconds kReadersRound = 3s;
constexpr std::chrono::milliseconds kBetweenWrites = 1s;
constexpr const char* kReadersName = "bench/readers";

struct alignas(64) Tally {
  std::atomic<std::int64_t> reads;
  std::atomic<std::int64_t> torn;
};

struct Page {
  std::atomic<std::size_t> ready;
  std::atomic<bool> over;
  volatile std::int64_t left;  // the same as `right`, except during a write
  volatile std::int64_t right;
  Tally tallies[kProcesses * kThreads];
};

void read(const Client& client, Page& page) {
  SharedMutex mutex(client, kReadersName);
  Tally& mine = page.tallies[page.ready.fetch_add(1)];
  while (!page.over) {
    std::shared_lock reading(mutex);
    if (page.left != page.right) ++mine.torn;
    ++mine.reads;
  }
}

// Writes once a second for as long as it lives.
class Writer {
 public:
  explicit Writer(Page& page)
      : page_(page), thread_([this](const std::stop_token& over) { run(over); }) {}

  // Returns how long each write waited for the lock.
  const std::vector<double>& stop() {
    thread_.request_stop();
    thread_.join();
    return waits_ms_;
  }

 private:
  void run(const std::stop_token& over) {
    while (!over.stop_requested()) {
      std::this_thread::sleep_for(kBetweenWrites / 2);
      const std::int64_t asked = now_ns();
      {
        std::scoped_lock writing(mutex_);
        waits_ms_.push_back(static_cast<double>(now_ns() - asked) / 1e6);
        page_.left = page_.left + 1;
        std::this_thread::sleep_for(1ms);
        page_.right = page_.right + 1;
      }
      std::this_thread::sleep_for(kBetweenWrites / 2);
    }
  }

  Page& page_;
  SharedMutex mutex_{open_client(), kReadersName};
  std::vector<double> waits_ms_;
  std::jthread thread_;
};

std::int64_t sum(const Page& page, std::atomic<std::int64_t> Tally::*count) {
  return std::accumulate(
      std::begin(page.tallies), std::end(page.tallies), std::int64_t{0},
      [&](std::int64_t total, const Tally& each) { return total + each.*count; });
}

template <class Deed>
double reads_per_second(const Page& page, Deed deed) {
  const std::int64_t before = sum(page, &Tally::reads);
  const std::int64_t start = now_ns();
  deed();
  return static_cast<double>(sum(page, &Tally::reads) - before) * 1e9 /
         static_cast<double>(now_ns() - start);
}

}  // namespace

void readers_role(Words words) {
  Arena<Page> page(words[0], [](Page&) {});
  const Client client = open_client();
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] { read(client, *page.get()); });
  }
}

void readers(const Context& context, Report& report) {
  const std::string path = context.dir + "/readers";
  Arena<Page> page(path, [](Page&) {});
  std::vector<Child> children;
  children.reserve(kProcesses);
  for (std::size_t i = 0; i < kProcesses; ++i) {
    children.emplace_back(std::vector<std::string>{"readers", path});
  }
  while (page->ready < kProcesses * kThreads) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(kBetweenWrites);  // By then all of them run.

  std::vector<double> alone;
  std::vector<double> ratios;
  std::vector<double> waits_ms;
  for (int i = 0; i < kReadersRounds; ++i) {
    const auto nothing = [] { std::this_thread::sleep_for(kReadersRound); };
    alone.push_back(reads_per_second(*page.get(), nothing));
    const double beside = reads_per_second(*page.get(), [&] {
      Writer writer(*page.get());
      std::this_thread::sleep_for(kReadersRound - kBetweenWrites / 2);
      const auto& waits = writer.stop();
      waits_ms.insert(waits_ms.end(), waits.begin(), waits.end());
    });
    ratios.push_back(beside / alone.back());
  }
  page->over = true;
  for (Child& child : children) {
    if (child.wait() != 0) throw std::runtime_error("readers: a process failed");
  }
  report.add({"readers", "64 readers alone", median(alone), "reads/s"});
  report.add({"readers", "with a write a second, of that", median(ratios), "times",
              Target::time_at_least(0.8)});
  report.add({"readers", "the writer's wait", median(waits_ms), "ms"});
  report.add({"readers", "writes", static_cast<double>(waits_ms.size()), ""});
  report.add({"readers", "reads in the middle of a write",
              static_cast<double>(sum(*page.get(), &Tally::torn)), "",
              Target::count_at_most(0)});
}

}  // namespace holdfast::bench

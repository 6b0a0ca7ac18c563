#include "contend.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <thread>

#include "arena.h"
#include "child.h"
#include "contestant.h"
#include "roles.h"
#include "timing.h"

namespace holdfast::bench {
namespace {

struct Tally {
  std::atomic<int> ready;
  std::atomic<std::int64_t> end_ns;  // zero: not yet
  std::atomic<std::int64_t> grants;
  std::atomic<std::int64_t> longest_ns;
  volatile std::int64_t counter;  // under the lock alone
};

void caller(const std::string& name, const std::string& path, Tally& tally) {
  const auto lock = make_contestant(name, path);
  std::int64_t mine = 0;
  std::int64_t longest = 0;
  tally.ready.fetch_add(1);
  while (tally.end_ns == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  // The clock is read once for each grant: some rivals are not much slower than it.
  for (std::int64_t last = now_ns(); last < tally.end_ns; ++mine) {
    lock->lock();
    const std::int64_t granted = now_ns();
    tally.counter = tally.counter + 1;
    lock->unlock();
    longest = std::max(longest, granted - last);
    last = granted;
  }
  tally.grants += mine;
  std::int64_t seen = tally.longest_ns;
  while (seen < longest && !tally.longest_ns.compare_exchange_weak(seen, longest)) {
  }
}

}  // namespace

void contended_role(Words words) {
  Arena<Tally> tally(words[1], [](Tally&) {});
  const std::size_t count = std::stoul(words[2]);
  std::vector<std::jthread> threads;
  threads.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&] { caller(words[0], words[1], *tally.get()); });
  }
}

Contention contend(const Context& context, const std::string& contestant,
                   const Crowd& crowd) {
  const std::string path = context.dir + "/contended-" +
                           std::to_string(crowd.processes) + contestant.substr(0, 4);
  Arena<Tally> tally(path, [](Tally&) {});
  std::vector<Child> children;
  children.reserve(static_cast<std::size_t>(crowd.processes));
  for (int i = 0; i < crowd.processes; ++i) {
    children.emplace_back(std::vector<std::string>{"contended", contestant, path,
                                                   std::to_string(crowd.threads)});
  }
  while (tally->ready < crowd.processes * crowd.threads) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const std::int64_t start = now_ns();
  tally->end_ns = start + crowd.time.count();
  for (Child& child : children) {
    if (child.wait() != 0) throw std::runtime_error("contended: a process failed");
  }
  const double seconds = static_cast<double>(now_ns() - start) / 1e9;
  remove_traces(path);
  std::remove(path.c_str());
  return {.grants = tally->grants,
          .lost = tally->grants - tally->counter,
          .seconds = seconds,
          .longest_ms = static_cast<double>(tally->longest_ns) / 1e6};
}

}  // namespace holdfast::bench

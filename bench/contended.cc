#include <atomic>
#include <memory>
#include <thread>

#include "arena.h"
#include "child.h"
#include "contestant.h"
#include "roles.h"
#include "timing.h"
#include "workload.h"

namespace holdfast::bench {
namespace {

constexpr int kCallers = 16;
constexpr std::int64_t kRunNs = 500'000'000;

struct Tally {
  std::atomic<int> ready;
  std::atomic<std::int64_t> end_ns;  // zero: not yet
  std::atomic<std::int64_t> grants;
  volatile std::int64_t counter;  // under the lock alone
};

void caller(const std::string& name, const std::string& path, Tally& tally) {
  const auto lock = make_contestant(name, path);
  std::int64_t mine = 0;
  tally.ready.fetch_add(1);
  while (tally.end_ns == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  for (; now_ns() < tally.end_ns; ++mine) {
    lock->lock();
    tally.counter = tally.counter + 1;
    lock->unlock();
  }
  tally.grants += mine;
}

void measure(const Context& context, Report& report, const std::string& name,
             int processes) {
  const std::string shape = processes == 1 ? "threads" : "processes";
  const std::string path = context.dir + "/contended-" + shape + name.substr(0, 4);
  const std::string threads = std::to_string(kCallers / processes);
  Arena<Tally> tally(path, [](Tally&) {});
  std::vector<Child> children;
  children.reserve(static_cast<std::size_t>(processes));
  for (int i = 0; i < processes; ++i) {
    children.emplace_back(std::vector<std::string>{"contended", name, path, threads});
  }
  while (tally->ready < kCallers) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const std::int64_t start = now_ns();
  tally->end_ns = start + kRunNs;
  for (Child& child : children) {
    if (child.wait() != 0) throw std::runtime_error("contended: a process failed");
  }
  const double seconds = static_cast<double>(now_ns() - start) / 1e9;
  remove_traces(path);
  report.add({"contended", name + ", 16 " + shape,
              static_cast<double>(tally->grants) / seconds, "grants/s"});
  if (name == kHoldfast) {
    report.add({"contended", "updates lost, 16 " + shape,
                static_cast<double>(tally->grants - tally->counter), "",
                Target::count_at_most(0)});
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

void contended(const Context& context, Report& report) {
  for (const int processes : {kCallers, 1}) {
    for (const std::string& name : contestants()) {
      measure(context, report, name, processes);
    }
  }
}

}  // namespace holdfast::bench

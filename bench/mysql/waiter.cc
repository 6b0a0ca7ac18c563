// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <thread>

#include "contestant.h"
#include "ground.h"
#include "holdfast/mutex.h"
#include "mysql/workloads.h"

namespace holdfast::bench::mysql {
namespace {

using namespace std::chrono_literals;

// By then it is asleep, and observers see it.
constexpr std::chrono::seconds kSettled = 1s;
constexpr std::chrono::seconds kWatched = 8s;

}  // namespace

// There are one holder and one waiter, and each only checks now and then.
void waiter(const Context& context, Report& report) {
  const Ground& ground = context.grounds.front();
  ground.enter();
  const auto sent_per_second = [&] {
    std::this_thread::sleep_for(kSettled);
    const double before = ground.server->requests();
    std::this_thread::sleep_for(kWatched);
    return (ground.server->requests() - before) / static_cast<double>(kWatched.count());
  };
  Mutex holder(open_client(), "waited for");
  Mutex other(open_client(), "waited for");
  holder.lock();
  const double of_holder = sent_per_second();
  std::jthread waits([&] {
    other.lock();
    other.unlock();
  });
  const double of_both = sent_per_second();
  holder.unlock();
  report.add({"waiter", "statements of one that holds", of_holder, "per second",
              Target::count_at_most(2)});
  report.add({"waiter", "statements of one that waits", of_both - of_holder,
              "per second", Target::count_at_most(2)});
}

}  // namespace holdfast::bench::mysql

#include <chrono>
#include <thread>

#include "contestant.h"
#include "ground.h"
#include "holdfast/mutex.h"
#include "mysql/workloads.h"

namespace holdfast::bench::mysql {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kSettled = 1s;  // it is asleep, and observers see it
constexpr std::chrono::seconds kWatched = 8s;

}  // namespace

// One that only looks again now and then.
void waiter(const Context& context, Report& report) {
  const Ground& ground = context.grounds.front();
  ground.enter();
  Mutex holder(open_client(), "waited for");
  Mutex other(open_client(), "waited for");
  holder.lock();
  std::jthread waits([&] {
    other.lock();
    other.unlock();
  });
  std::this_thread::sleep_for(kSettled);
  const double before = ground.server->requests();
  std::this_thread::sleep_for(kWatched);
  const double sent = ground.server->requests() - before;
  holder.unlock();
  report.add({"waiter", "statements of one that waits",
              sent / static_cast<double>(kWatched.count()), "per second",
              Target::count_at_most(2)});
}

}  // namespace holdfast::bench::mysql

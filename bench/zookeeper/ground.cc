#include "zookeeper/ground.h"

#include <chrono>
#include <cstdlib>
#include <mutex>

#include "contestant.h"
#include "holdfast/mutex.h"

namespace holdfast::bench::zookeeper {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// Until the server's code has been compiled.
void warm_up(const Ground& ground) {
  ground.enter();
  Mutex mutex(open_client(), "ours");
  for (const auto end = steady_clock::now() + 3s; steady_clock::now() < end;) {
    const std::scoped_lock guard(mutex);
  }
}

}  // namespace

void Ground::enter(std::string_view options) const {
  setenv("HOLDFAST_URL", (server.url() + std::string(options)).c_str(), 1);
}

std::vector<Ground> prepare_grounds() {
  std::vector<Ground> all;
  all.push_back({"tmpfs", Server("/dev/shm")});
  all.push_back({"disk", Server("/var/tmp")});
  for (const Ground& ground : all) warm_up(ground);
  return all;
}

}  // namespace holdfast::bench::zookeeper

// SPDX-License-Identifier: Apache-2.0

#include "contestant.h"

#include <cstdlib>
#include <deque>
#include <iostream>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "holdfast/holdfast.h"
#include "rivals/flock.h"
#include "rivals/ofd_lock.h"
#include "rivals/robust_mutex.h"
#ifdef HOLDFAST_BENCH_BOOST
#include "rivals/boost_named_mutex.h"
#endif
#ifdef HOLDFAST_BENCH_REDIS
#include "rivals/set_nx.h"
#endif
#ifdef HOLDFAST_BENCH_RED_MUTEX
#include "rivals/red_mutex.h"
#endif
#ifdef HOLDFAST_BENCH_MYSQL
#include "rivals/get_lock.h"
#include "rivals/unique_row.h"
#endif

namespace holdfast::bench {
namespace {

template <class M>
class Of : public Contestant {
 public:
  template <class... Args>
  explicit Of(Args&&... args) : mutex_(std::forward<Args>(args)...) {}
  void lock() override { mutex_.lock(); }
  void unlock() override { mutex_.unlock(); }
  void pairs(std::int64_t n) override {
    for (std::int64_t i = 0; i < n; ++i) std::scoped_lock guard(mutex_);
  }

 private:
  M mutex_;
};

class OfManyNames final : public Contestant {
 public:
  OfManyNames(const Client& client, const std::vector<std::string>& names) {
    for (const std::string& name : names) mutexes_.emplace_back(client, name);
  }
  void lock() override { mutexes_[next_].lock(); }
  void unlock() override {
    mutexes_[next_].unlock();
    next_ = (next_ + 1) % mutexes_.size();
  }
  void pairs(std::int64_t n) override {
    for (std::int64_t i = 0; i < n; ++i) std::scoped_lock guard(*this);
  }

 private:
  std::deque<Mutex> mutexes_;
  std::size_t next_ = 0;
};

Client client_of_this_process() {
  static const Client client = open_client();
  return client;
}

#ifdef HOLDFAST_BENCH_REDIS
int port_of_the_server() {
  const char* const set = std::getenv("HOLDFAST_URL");
  const std::string url = set == nullptr ? "" : set;
  return std::stoi(url.substr(url.rfind(':') + 1));
}

// Returns nothing if the contestant does not ask again and again.
std::optional<SetNx::Pause> pause_of(std::string_view name) {
  using namespace std::chrono_literals;
  if (name == kSetNx) return SetNx::Pause{0ms, 5ms};
  if (name == kSetNx3) return SetNx::Pause{3ms, 3ms};
  if (name == kSetNx100) return SetNx::Pause{100ms, 100ms};
  return std::nullopt;
}
#endif

}  // namespace

Client open_client(const std::string& url) {
  ClientOptions options;
  options.log = [](LogLevel level, std::string_view line) {
    if (level == LogLevel::error) std::cerr << line << '\n';
  };
  return Client::open(url, options).value();
}

const std::vector<std::string>& contestants() {
  static const std::vector<std::string> names = {
      std::string(kHoldfast), std::string(kFlock), "ofd lock", std::string(kRobust),
#ifdef HOLDFAST_BENCH_BOOST
      "boost named_mutex",
#endif
  };
  return names;
}

std::unique_ptr<Contestant> make_contestant(std::string_view name,
                                            const std::string& path) {
  const std::string file = path + "." + std::string(name);
  if (name == kHoldfast)
    return std::make_unique<Of<Mutex>>(client_of_this_process(), path);
  if (name == kFair)
    return std::make_unique<Of<FairMutex>>(client_of_this_process(), path);
  if (name == kFlock) return std::make_unique<Of<Flock>>(file);
  if (name == "ofd lock") return std::make_unique<Of<OfdLock>>(file);
  if (name == kRobust) return std::make_unique<Of<RobustMutex>>(file);
#ifdef HOLDFAST_BENCH_BOOST
  if (name == "boost named_mutex") return std::make_unique<Of<BoostNamedMutex>>(file);
#endif
#ifdef HOLDFAST_BENCH_REDIS
  if (const auto pause = pause_of(name)) {
    return std::make_unique<Of<SetNx>>(port_of_the_server(), path, *pause);
  }
#endif
#ifdef HOLDFAST_BENCH_RED_MUTEX
  if (name == kRedMutex3 || name == kRedMutex100) {
    const std::chrono::milliseconds pause(name == kRedMutex3 ? 3 : 100);
    return std::make_unique<Of<RedMutex>>(port_of_the_server(), path, pause);
  }
#endif
#ifdef HOLDFAST_BENCH_MYSQL
  if (name == kUniqueRow) return std::make_unique<Of<UniqueRow>>(path);
  if (name == kGetLock) return std::make_unique<Of<GetLock>>(path);
#endif
  throw std::invalid_argument("no contestant called " + std::string(name));
}

std::unique_ptr<Contestant> make_with_names(const Client& client,
                                            const std::vector<std::string>& names) {
  return std::make_unique<OfManyNames>(client, names);
}

std::unique_ptr<Contestant> make_with_own_client(const std::string& path) {
  return std::make_unique<Of<Mutex>>(open_client(), path);
}

void remove_traces([[maybe_unused]] const std::string& path) {
#ifdef HOLDFAST_BENCH_BOOST
  BoostNamedMutex::remove(path + ".boost named_mutex");
#endif
}

}  // namespace holdfast::bench

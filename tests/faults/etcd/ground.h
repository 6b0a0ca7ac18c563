// tests/faults/etcd/ground.h - what the tests of a broken etcd have in common.

#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/mutex.h"
#include "support/etcd_server.h"
#include "support/etcd_shell.h"
#include "support/fault_proxy.h"
#include "support/scale.h"

namespace holdfast::test {

// A client that keeps its warnings to itself: trouble is expected here.
Client open_quietly(const std::string& url,
                    std::chrono::milliseconds ttl = scaled(std::chrono::seconds(30)));

// What a user meets who opens `url` and locks one name: the first thing that fails.
// Throws std::logic_error when nothing does.
Failure first_failure(const std::string& url);

// Whether a message is one line that says something.
bool is_one_sentence(const std::string& message);

// A server of its own, and a bad line to it.
class OnEtcd : public testing::Test {
 protected:
  explicit OnEtcd(std::vector<std::string> arguments = {});

  using Ms = std::chrono::milliseconds;
  Client open(Ms ttl = scaled(std::chrono::seconds(30))) const {  // over the line
    return open_quietly(line_.url(kPrefix), ttl);
  }
  Client open_directly(Ms ttl = scaled(std::chrono::seconds(30))) const {
    return open_quietly(server_.url(kPrefix), ttl);
  }

  static std::string key(std::string_view name);  // N

  // The keys below N, the oldest first.
  std::vector<EtcdKey> keys(std::string_view name);
  testing::AssertionResult has_keys(std::string_view name, std::size_t number);
  EtcdKey only_key(std::string_view name);

  static constexpr std::string_view kPrefix = "/app/locks";
  const Ms short_ = scaled(std::chrono::seconds(3));  // renewed every second

  EtcdServer server_;
  EtcdShell shell_;
  FaultProxy line_;
};

// Waits for the lock in a thread of its own: when it got in, and with which token.
struct Entered {
  Clock::time_point at = Clock::time_point::max();
  FencingToken token;
  std::string why_not;
};
std::future<Entered> wait_for(Mutex& mutex);

// Clients that lock one name in turn, for as long as it is there: never two at once.
class Sale {
 public:
  explicit Sale(const std::function<Client()>& open);
  bool goes_on() const;  // there are more grants than before, in good time

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> grants_{0};
  std::vector<std::jthread> threads_;
};

// Whether the loss of a hold of `open(short_)` is told by the next renewal.
testing::AssertionResult told_soon(const Hold& hold);

// Whether it is not over yet after some time.
bool still_waits(const std::future<Entered>& entered);

}  // namespace holdfast::test

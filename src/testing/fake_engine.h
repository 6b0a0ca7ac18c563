// SPDX-License-Identifier: Apache-2.0

// src/testing/fake_engine.h - an engine in memory, with faults that tests can switch
// on.
//
//   auto world = FakeEngine::world();
//   auto client = Client::over(std::make_unique<FakeEngine>(world)).value();
//   world->faults.lose_replies = 1;       // executed, but answered outcome_unknown
//   EXPECT_EQ(world->calls.attempt, 2);
//
// Every FakeEngine over one world is another client of it. The engine keeps the
// contract of the waist: tickets are idempotent, drops are final, and an attempt with a
// null waker leaves nothing behind.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "holdfast/engine/session.h"
#include "testing/fake_server.h"

namespace holdfast::test {

// These faults happen on the way to the server, for all its clients.
struct FakeFaults {
  std::atomic<int> lose_replies{0};   // So many calls are executed and not answered.
  std::atomic<int> lose_requests{0};  // So many calls are not executed.
  std::atomic<int> throws{0};         // So many calls throw std::bad_alloc.
  std::atomic<int> throw_late{0};     // So many are executed and throw it then.
  std::atomic<bool> unreachable{false};
  // A lost reply makes the server unreachable.
  std::atomic<bool> breaks_with_loss{false};
  std::atomic<std::chrono::milliseconds> delay{};  // the delay of every call
};

// Calls about one name do not return before `let_go`, whatever their deadline.
class FakeBlock {
 public:
  void begin(std::string name);
  void let_go();
  int inside() const { return inside_; }  // the number of calls that wait now
  void pass(const std::string& name);     // The engine calls this.

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string name_;
  std::atomic<int> inside_{0};
};

// Attempts are answered Errc::outcome_unknown at once and executed later.
class FakeDelay {
 public:
  void begin() { on_ = true; }
  void arrive();  // Executes all of them; later attempts are executed at once.
  std::size_t waiting();
  bool put_off(std::function<void()> attempt);  // The engine calls this.

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> late_;
  std::atomic<bool> on_{false};
};

// These count the calls, whatever their outcome.
struct FakeCalls {
  std::atomic<int> attempt{0}, amend{0}, drop{0}, renew{0}, refs{0}, survey{0};
  std::atomic<int> registers{0};  // load, add, exchange
};

struct FakeWorld {
  FakeWorld(engine::Traits traits, bool reserves_tokens)
      : server(traits, reserves_tokens) {}
  FakeServer server;
  FakeFaults faults;
  FakeBlock block;  // for renewals, changes and drops
  FakeDelay delay;
  FakeCalls calls;
};

class FakeEngine final : public engine::Engine {
 public:
  // The traits promise everything except `survives` and `many_hosts`.
  static engine::Traits default_traits();
  static std::shared_ptr<FakeWorld> world(engine::Traits traits = default_traits(),
                                          bool reserves_tokens = true);

  explicit FakeEngine(std::shared_ptr<FakeWorld> world) : world_(std::move(world)) {}

  std::string_view scheme() const noexcept override { return "fake"; }
  Result<std::unique_ptr<engine::Session>> open(
      const engine::SessionOptions& options) override;

 private:
  std::shared_ptr<FakeWorld> world_;
};

}  // namespace holdfast::test

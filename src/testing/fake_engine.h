// src/testing/fake_engine.h - an engine in memory, with faults that can be switched.
//
//   auto world = FakeEngine::world();
//   auto client = Client::over(std::make_unique<FakeEngine>(world)).value();
//   world->faults.lose_replies = 1;       // carried out, but outcome_unknown
//   EXPECT_EQ(world->calls.attempt, 2);
//
// Every FakeEngine over one world is another client of it. Honest to the contract of
// the waist: repeatable tickets, final drops, nothing left by a null waker.

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

// What goes wrong on the way to the server, for all its clients.
struct FakeFaults {
  std::atomic<int> lose_replies{0};   // so many calls are carried out, not answered
  std::atomic<int> lose_requests{0};  // so many calls are not carried out
  std::atomic<bool> unreachable{false};
  std::atomic<bool> breaks_with_loss{false};       // a lost reply makes it unreachable
  std::atomic<std::chrono::milliseconds> delay{};  // of every call
};

// Calls about one name that do not return before `let_go`, whatever their deadline.
class FakeBlock {
 public:
  void begin(std::string name);
  void let_go();
  int inside() const { return inside_; }  // that wait now
  void pass(const std::string& name);     // for the engine

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string name_;
  std::atomic<int> inside_{0};
};

// Attempts that are answered Errc::outcome_unknown at once and carried out later.
class FakeDelay {
 public:
  void begin() { on_ = true; }
  void arrive();  // all of them; later ones are carried out at once
  std::size_t waiting();
  bool put_off(std::function<void()> attempt);  // for the engine

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> late_;
  std::atomic<bool> on_{false};
};

// How often each was called, whatever came of it.
struct FakeCalls {
  std::atomic<int> attempt{0}, amend{0}, drop{0}, renew{0}, stakes{0}, survey{0};
  std::atomic<int> registers{0};  // load, add, exchange
};

struct FakeWorld {
  FakeWorld(engine::Traits traits, bool reserves_tokens)
      : server(traits, reserves_tokens) {}
  FakeServer server;
  FakeFaults faults;
  FakeBlock block;  // of renewals, changes and drops
  FakeDelay delay;
  FakeCalls calls;
};

class FakeEngine final : public engine::Engine {
 public:
  // Everything is promised but `survives` and `many_hosts`.
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

// SPDX-License-Identifier: Apache-2.0

#include "testing/fake_engine.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace holdfast::test {

using namespace std::chrono_literals;
using engine::Address;
using engine::Claim;
using engine::Deadline;
using engine::Ticket;
using engine::Value;
using engine::Waker;

void FakeBlock::begin(std::string name) {
  const std::lock_guard lock(mutex_);
  name_ = std::move(name);
}

void FakeBlock::let_go() {
  const std::lock_guard lock(mutex_);
  name_.clear();
  changed_.notify_all();
}

void FakeBlock::pass(const std::string& name) {
  std::unique_lock lock(mutex_);
  if (name != name_) return;
  ++inside_;
  changed_.wait(lock, [&] { return name != name_; });
  --inside_;
}

void FakeDelay::arrive() {
  const std::lock_guard lock(mutex_);
  on_ = false;
  for (const auto& attempt : late_) attempt();
  late_.clear();
}

std::size_t FakeDelay::waiting() {
  const std::lock_guard lock(mutex_);
  return late_.size();
}

bool FakeDelay::put_off(std::function<void()> attempt) {
  if (!on_) return false;
  const std::lock_guard lock(mutex_);
  late_.push_back(std::move(attempt));
  return true;
}

namespace {

class FakeSignal final : public engine::Signal {
 public:
  void ring() noexcept override {
    const std::lock_guard lock(mutex_);
    rung_ = true;
    changed_.notify_one();
  }
  void wait(Deadline until) noexcept override {
    // The wait goes in short steps, since a test may move the clock.
    constexpr Clock::duration kStep = 20ms;
    std::unique_lock lock(mutex_);
    while (!rung_ && Clock::now() < until) {
      changed_.wait_for(lock, std::min(until - Clock::now(), kStep));
    }
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;
};

bool take_one(std::atomic<int>& left) {
  int now = left.load();
  while (now > 0 && !left.compare_exchange_weak(now, now - 1)) {
  }
  return now > 0;
}

// This is the way to the server and back, with its faults.
template <class Call>
auto send(FakeWorld& world, std::atomic<int>& count, Call call) -> decltype(call()) {
  ++count;
  if (const auto delay = world.faults.delay.load(); delay > 0ms) {
    std::this_thread::sleep_for(delay);
  }
  if (take_one(world.faults.throws)) throw std::bad_alloc();
  if (world.faults.unreachable) return Errc::unavailable;
  if (take_one(world.faults.lose_requests)) return Errc::outcome_unknown;
  auto outcome = call();
  if (take_one(world.faults.throw_late)) throw std::bad_alloc();
  if (take_one(world.faults.lose_replies)) {
    if (world.faults.breaks_with_loss) world.faults.unreachable = true;
    return Errc::outcome_unknown;
  }
  return outcome;
}

class FakeResource final : public engine::Resource {
 public:
  FakeResource(std::shared_ptr<FakeWorld> world, FakeServer::Client client,
               Address address)
      : world_(std::move(world)), client_(client), address_(std::move(address)) {}

  const Address& address() const noexcept { return address_; }

  Result<engine::Verdict> attempt(const Claim& claim, const Waker& waker,
                                  Deadline) override {
    const bool late = world_->delay.put_off(
        [&server = world_->server, client = client_, address = address_, claim, waker] {
          (void)server.attempt(client, address, claim, waker);
        });
    if (late) return Errc::outcome_unknown;
    return send(*world_, world_->calls.attempt, [&] {
      return world_->server.attempt(client_, address_, claim, waker);
    });
  }
  Result<engine::Granted> amend(const Claim& held, const Claim& wanted,
                                Deadline) override {
    world_->block.pass(address_.name);
    return send(*world_, world_->calls.amend,
                [&] { return world_->server.amend(client_, address_, held, wanted); });
  }
  Result<void> drop(const Claim& claim, Deadline) override {
    world_->block.pass(address_.name);
    return send(*world_, world_->calls.drop,
                [&] { return world_->server.drop(client_, address_, claim); });
  }
  Result<Value> load(Deadline) override {
    return send(*world_, world_->calls.registers,
                [&] { return world_->server.load(address_); });
  }
  Result<Value> add(std::int64_t by, Ticket ticket, Deadline) override {
    return send(*world_, world_->calls.registers,
                [&] { return world_->server.add(client_, address_, by, ticket); });
  }
  Result<engine::Exchanged> exchange(const Value& from, std::optional<std::int64_t> to,
                                     Ticket ticket, Deadline) override {
    return send(*world_, world_->calls.registers, [&] {
      return world_->server.exchange(client_, address_, from, to, ticket);
    });
  }
  Result<engine::Watch> watch(const Waker& waker, Deadline) override {
    return send(*world_, world_->calls.survey,
                [&] { return world_->server.watch(address_, waker); });
  }
  Result<std::vector<engine::Entry>> survey(std::size_t limit, Deadline) override {
    return send(*world_, world_->calls.survey,
                [&] { return world_->server.survey(address_, limit); });
  }
  Result<void> evict(std::string_view owner, Deadline) override {
    return send(*world_, world_->calls.survey,
                [&] { return world_->server.evict(address_, owner); });
  }

 private:
  const std::shared_ptr<FakeWorld> world_;
  const FakeServer::Client client_;
  const Address address_;
};

class FakeSession final : public engine::Session {
 public:
  FakeSession(std::shared_ptr<FakeWorld> world, const engine::SessionOptions& options)
      : world_(std::move(world)), client_(world_->server.join(options)) {}
  ~FakeSession() override { world_->server.leave(client_); }

  engine::Traits traits(engine::Kind kind) const noexcept override {
    engine::Traits traits = world_->server.traits();
    const bool together =  // Their holders are in at the same time, or there are none.
        kind == engine::Kind::semaphore || kind >= engine::Kind::double_barrier;
    traits.fences = traits.fences && !together;
    traits.grants_named_tokens = traits.grants_named_tokens && !together;
    return traits;
  }
  Result<std::shared_ptr<engine::Resource>> bind(const Address& address) override {
    return std::shared_ptr<engine::Resource>(
        std::make_shared<FakeResource>(world_, client_, address));
  }
  Result<void> renew(std::span<engine::ClaimRef> refs, Deadline) override {
    for (const engine::ClaimRef& ref : refs) {
      world_->block.pass(static_cast<FakeResource&>(*ref.resource).address().name);
    }
    return send(*world_, world_->calls.renew, [&]() -> Result<void> {
      for (engine::ClaimRef& ref : refs) {
        ++world_->calls.refs;
        const auto& resource = static_cast<FakeResource&>(*ref.resource);
        const auto granted =
            world_->server.renew(client_, resource.address(), *ref.claim);
        ref.outcome = granted ? std::error_code{} : granted.error().code;
        if (granted) ref.granted = *granted;
      }
      return {};
    });
  }
  Result<engine::Page> list(std::string_view prefix, std::string_view from,
                            Deadline) override {
    return send(*world_, world_->calls.survey, [&]() -> Result<engine::Page> {
      return world_->server.list(prefix, from);
    });
  }
  Waker signal() override { return std::make_shared<FakeSignal>(); }

 private:
  const std::shared_ptr<FakeWorld> world_;
  const FakeServer::Client client_;
};

}  // namespace

engine::Traits FakeEngine::default_traits() {
  engine::Traits traits;
  traits.supported = traits.fences = traits.orders = traits.notifies = true;
  traits.versions = traits.downgrades = traits.grants_named_tokens = true;
  traits.many_hosts = false;
  return traits;
}

std::shared_ptr<FakeWorld> FakeEngine::world(engine::Traits traits,
                                             bool reserves_tokens) {
  return std::make_shared<FakeWorld>(traits, reserves_tokens);
}

Result<std::unique_ptr<engine::Session>> FakeEngine::open(
    const engine::SessionOptions& options) {
  if (world_->faults.unreachable) return Errc::unavailable;
  return std::unique_ptr<engine::Session>(
      std::make_unique<FakeSession>(world_, options));
}

}  // namespace holdfast::test

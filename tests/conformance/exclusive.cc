// SPDX-License-Identifier: Apache-2.0

#include "conformance/exclusive.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "conformance/with_hold.h"
#include "holdfast/election.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/multi_lock.h"
#include "holdfast/mutex.h"
#include "holdfast/recursive_mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/awaited.h"

namespace holdfast::test {
namespace {

constexpr std::uint32_t kPermits = 5;

class WithRecursiveMutex : public Exclusive {
 public:
  WithRecursiveMutex(const Client& client, const std::string& name,
                     const LeaseOptions& lease)
      : mutex_(client, name, lease) {}

  Result<FencingToken> acquire(WaitOptions options) override {
    auto got = enter(options);
    if (!got) return got.error();
    return asynchronous() ? mutex_.token(owner_) : mutex_.token();
  }
  Result<void> release() override { return leave(); }
  bool valid() const override {  // A hold that was lost cannot be entered again.
    const auto depth = asynchronous() ? mutex_.depth(owner_) : mutex_.depth();
    if (depth == 0 || !enter({.wait = Timeout::zero()})) return false;
    (void)leave();
    return true;
  }

 private:
  Result<void> enter(const WaitOptions& options) const {
    if (!asynchronous()) return mutex_.acquire(options);
    return awaited<void>([&](Completion<void> done) {
      mutex_.acquire_async(owner_, options, std::move(done));
    });
  }
  Result<void> leave() const {
    if (!asynchronous()) return mutex_.release();
    return awaited<void>(
        [&](Completion<void> done) { mutex_.release_async(owner_, std::move(done)); });
  }

  mutable RecursiveMutex mutex_;
  const RecursiveMutex::Owner owner_;
};

class WithElection : public Exclusive {
 public:
  WithElection(const Client& client, const std::string& name, const LeaseOptions& lease)
      : election_(client, name, lease) {}

  Result<FencingToken> acquire(WaitOptions options) override {
    auto got = campaign(options);
    if (!got) return got.error();
    return election_.token();
  }
  Result<void> release() override {
    if (!asynchronous()) return election_.resign();
    return awaited<void>(
        [&](Completion<void> done) { election_.resign_async(std::move(done)); });
  }
  bool valid() const override { return election_.is_leader(); }

 private:
  Result<void> campaign(const WaitOptions& options) {
    if (!asynchronous()) return election_.campaign("candidate", options);
    return awaited<void>([&](Completion<void> done) {
      election_.campaign_async("candidate", options, std::move(done));
    });
  }

  Election election_;
};

class Drained : public Exclusive {
 public:
  Drained(const Client& client, const std::string& name)
      : semaphore_(client, name, kPermits) {}

  Result<FencingToken> acquire(WaitOptions options) override {
    constexpr auto kMost = kPermits - 1;
    auto got = asynchronous() ? awaited<Permits>([&](Completion<Permits> done) {
      semaphore_.acquire_many_async(kMost, options, std::move(done));
    })
                              : semaphore_.acquire_many(kMost, options);
    taken_.emplace(std::move(got).value());
    return FencingToken{};
  }
  Result<void> release() override { return taken_->release(); }
  bool valid() const override { return taken_->valid(); }

 private:
  Semaphore semaphore_;
  std::optional<Permits> taken_;
};

struct Row {
  Shape shape;
  std::string_view name;
  engine::Kind kind;
};

constexpr Row kRows[] = {
    {Shape::mutex, "mutex", engine::Kind::mutex},
    {Shape::recursive_mutex, "recursive_mutex", engine::Kind::mutex},
    {Shape::fair_mutex, "fair_mutex", engine::Kind::fair_mutex},
    {Shape::shared_mutex, "shared_mutex", engine::Kind::shared_mutex},
    {Shape::semaphore, "semaphore", engine::Kind::semaphore},
    {Shape::election, "election", engine::Kind::election},
    {Shape::multi_lock, "multi_lock", engine::Kind::mutex},
    {Shape::reader, "reader", engine::Kind::shared_mutex},
    {Shape::latch, "latch", engine::Kind::latch},
    {Shape::barrier, "barrier", engine::Kind::barrier},
};

}  // namespace

std::string_view name_of(Shape shape) {
  return std::ranges::find(kRows, shape, &Row::shape)->name;
}

Shape shape_named(std::string_view name) {
  return std::ranges::find(kRows, name, &Row::name)->shape;
}

engine::Kind kind_of(Shape shape) {
  return std::ranges::find(kRows, shape, &Row::shape)->kind;
}

std::unique_ptr<Exclusive> make_exclusive(Shape shape, const Client& client,
                                          const std::string& name,
                                          const LeaseOptions& lease) {
  switch (shape) {
    case Shape::mutex:
      return std::make_unique<WithHold<Mutex, Hold>>(client, name, lease);
    case Shape::recursive_mutex:
      return std::make_unique<WithRecursiveMutex>(client, name, lease);
    case Shape::fair_mutex:
      return std::make_unique<WithHold<FairMutex, Hold>>(client, name, lease);
    case Shape::shared_mutex:
      return std::make_unique<WithHold<SharedMutex, SharedHold>>(client, name, lease);
    case Shape::semaphore:
      return std::make_unique<WithHold<Semaphore, Permits>>(client, name, kPermits,
                                                            lease);
    case Shape::election:
      return std::make_unique<WithElection>(client, name, lease);
    case Shape::multi_lock:
      return std::make_unique<WithHold<MultiLock, MultiHold>>(
          client, std::vector{name, name + "/other"}, lease);
    case Shape::reader:
    case Shape::latch:
    case Shape::barrier:
      break;
  }
  return nullptr;
}

std::unique_ptr<Exclusive> drain(const Client& client, const std::string& name) {
  auto most = std::make_unique<Drained>(client, name);
  most->acquire({}).value();
  return most;
}

}  // namespace holdfast::test

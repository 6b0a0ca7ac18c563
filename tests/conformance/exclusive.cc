// SPDX-License-Identifier: Apache-2.0

#include "conformance/exclusive.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "conformance/forms.h"
#include "conformance/with_hold.h"

namespace holdfast::test {
namespace {

constexpr std::uint32_t kPermits = 5;

class WithRecursiveMutex : public Exclusive {
 public:
  WithRecursiveMutex(const Client& client, const std::string& name,
                     const LeaseOptions& lease)
      : mutex_(client, name, lease) {}

  Result<FencingToken> acquire(WaitOptions options) override {
    auto got = mutex_.acquire(options);
    if (!got) return got.error();
    return mutex_.token();
  }
  Result<void> release() override { return mutex_.release(); }
  bool valid() const override {  // A hold that was lost cannot be entered again.
    if (mutex_.depth() == 0 || !mutex_.acquire({.wait = Timeout::zero()})) return false;
    (void)mutex_.release();
    return true;
  }

 private:
  mutable RecursiveMutex mutex_;
};

class WithElection : public Exclusive {
 public:
  WithElection(const Client& client, const std::string& name, const LeaseOptions& lease)
      : election_(client, name, lease) {}

  Result<FencingToken> acquire(WaitOptions options) override {
    auto got = election_.campaign("candidate", options);
    if (!got) return got.error();
    return election_.token();
  }
  Result<void> release() override { return election_.resign(); }
  bool valid() const override { return election_.is_leader(); }

 private:
  Election election_;
};

class Drained : public Exclusive {
 public:
  Drained(const Client& client, const std::string& name)
      : semaphore_(client, name, kPermits) {}

  Result<FencingToken> acquire(WaitOptions options) override {
    constexpr auto kMost = kPermits - 1;
    auto got = semaphore_.acquire_many(kMost, options);
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

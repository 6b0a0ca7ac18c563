// SPDX-License-Identifier: Apache-2.0

#include "conformance/door.h"

#include <optional>
#include <utility>

#include "holdfast/barrier.h"
#include "holdfast/latch.h"
#include "holdfast/shared_mutex.h"
#include "support/awaited.h"

namespace holdfast::test {

class Door::Leaf {
 public:
  virtual ~Leaf() = default;
  virtual Result<void> shut() = 0;
  virtual Result<void> pass(const WaitOptions& options) = 0;
  virtual Result<void> open() = 0;
  virtual bool valid() const = 0;
};

class Door::Lock : public Leaf {
 public:
  Lock(Shape shape, const Client& client, const std::string& name,
       const LeaseOptions& lease)
      : lock_(make_exclusive(shape, client, name, lease)) {}

  Result<void> shut() override { return pass({}); }
  Result<void> pass(const WaitOptions& options) override {
    const auto got = lock_->acquire(options);
    if (!got) return got.error();
    return {};
  }
  Result<void> open() override { return lock_->release(); }
  bool valid() const override { return lock_->valid(); }

 private:
  std::unique_ptr<Exclusive> lock_;
};

class Door::Reader : public Leaf {
 public:
  Reader(const Client& client, const std::string& name, const LeaseOptions& lease)
      : mutex_(client, name, lease) {}

  Result<void> shut() override { return keep(mutex_.acquire()); }
  Result<void> pass(const WaitOptions& options) override {
    if (!asynchronous()) return keep(mutex_.acquire_shared(options));
    return keep(awaited<SharedHold>([&](Completion<SharedHold> done) {
      mutex_.acquire_shared_async(options, std::move(done));
    }));
  }
  Result<void> open() override {
    SharedHold hold = std::move(hold_.value());
    hold_.reset();
    if (!asynchronous()) return hold.release();
    return awaited<void>(
        [&](Completion<void> done) { hold.release_async(std::move(done)); });
  }
  bool valid() const override { return hold_ && hold_->valid(); }

 private:
  Result<void> keep(Result<SharedHold> got) {
    if (!got) return got.error();
    hold_.emplace(std::move(*got));
    return {};
  }

  SharedMutex mutex_;
  std::optional<SharedHold> hold_;
};

class Door::LatchLeaf : public Leaf {
 public:
  LatchLeaf(const Client& client, const std::string& name) : latch_(client, name) {}

  Result<void> shut() override {
    if (!asynchronous()) return forget(latch_.set_count(1));
    return forget(awaited<bool>(
        [&](Completion<bool> done) { latch_.set_count_async(1, std::move(done)); }));
  }
  Result<void> pass(const WaitOptions& options) override {
    if (!asynchronous()) return latch_.wait(options);
    return awaited<void>(
        [&](Completion<void> done) { latch_.wait_async(options, std::move(done)); });
  }
  Result<void> open() override {
    if (!asynchronous()) return forget(latch_.count_down());
    return forget(awaited<std::int64_t>([&](Completion<std::int64_t> done) {
      latch_.count_down_async(1, std::move(done));
    }));
  }
  bool valid() const override { return true; }

 private:
  template <class T>
  static Result<void> forget(const Result<T>& result) {
    if (!result.has_value()) return result.error();
    return {};
  }
  Latch latch_;
};

class Door::BarrierLeaf : public Leaf {
 public:
  BarrierLeaf(const Client& client, const std::string& name) : barrier_(client, name) {}

  Result<void> shut() override {
    if (!asynchronous()) return must(barrier_.set());
    return must(awaited<bool>(
        [&](Completion<bool> done) { barrier_.set_async(std::move(done)); }));
  }
  Result<void> pass(const WaitOptions& options) override {
    if (!asynchronous()) return barrier_.wait(options);
    return awaited<void>(
        [&](Completion<void> done) { barrier_.wait_async(options, std::move(done)); });
  }
  Result<void> open() override {
    if (!asynchronous()) return must(barrier_.remove());
    return must(awaited<bool>(
        [&](Completion<bool> done) { barrier_.remove_async(std::move(done)); }));
  }
  bool valid() const override { return true; }

 private:
  static Result<void> must(const Result<bool>& result) {
    if (!result.has_value()) return result.error();
    return *result ? Result<void>() : Errc::internal;
  }
  Barrier barrier_;
};

std::unique_ptr<Door::Leaf> Door::make(Shape shape, const Client& client,
                                       const std::string& name,
                                       const LeaseOptions& lease) {
  switch (shape) {
    case Shape::reader:
      return std::make_unique<Reader>(client, name, lease);
    case Shape::latch:
      return std::make_unique<LatchLeaf>(client, name);
    case Shape::barrier:
      return std::make_unique<BarrierLeaf>(client, name);
    default:
      return std::make_unique<Lock>(shape, client, name, lease);
  }
}

Door::Door(Shape shape, const Client& client, const std::string& name,
           const LeaseOptions& lease)
    : leaf_(make(shape, client, name, lease)) {}
Door::~Door() = default;
Door::Door(Door&&) noexcept = default;

Result<void> Door::shut() { return leaf_->shut(); }
Result<void> Door::pass(const WaitOptions& options) { return leaf_->pass(options); }
Result<void> Door::open() { return leaf_->open(); }
bool Door::valid() const { return leaf_->valid(); }

bool dies_with_its_owner(Shape shape) {
  return shape != Shape::latch && shape != Shape::barrier;
}

}  // namespace holdfast::test

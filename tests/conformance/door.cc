// SPDX-License-Identifier: Apache-2.0

#include "conformance/door.h"

#include <optional>
#include <utility>

#include "conformance/forms.h"

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
    return keep(mutex_.acquire_shared(options));
  }
  Result<void> open() override {
    SharedHold hold = std::move(hold_.value());
    hold_.reset();
    return hold.release();
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

  Result<void> shut() override { return forget(latch_.set_count(1)); }
  Result<void> pass(const WaitOptions& options) override {
    return latch_.wait(options);
  }
  Result<void> open() override { return forget(latch_.count_down()); }
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

  Result<void> shut() override { return must(barrier_.set()); }
  Result<void> pass(const WaitOptions& options) override {
    return barrier_.wait(options);
  }
  Result<void> open() override { return must(barrier_.remove()); }
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

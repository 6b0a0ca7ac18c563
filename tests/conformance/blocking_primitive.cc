// SPDX-License-Identifier: Apache-2.0

#include "conformance/blocking_primitive.h"

#include <optional>
#include <utility>

#include "conformance/forms.h"

namespace holdfast::test {

class BlockingPrimitive::Impl {
 public:
  virtual ~Impl() = default;
  virtual Result<void> block() = 0;
  virtual Result<void> wait(const WaitOptions& options) = 0;
  virtual Result<void> unblock() = 0;
  virtual bool valid() const = 0;
};

class BlockingPrimitive::Lock : public Impl {
 public:
  Lock(Shape shape, const Client& client, const std::string& name,
       const LeaseOptions& lease)
      : lock_(make_exclusive(shape, client, name, lease)) {}

  Result<void> block() override { return wait({}); }
  Result<void> wait(const WaitOptions& options) override {
    const auto got = lock_->acquire(options);
    if (!got) return got.error();
    return {};
  }
  Result<void> unblock() override { return lock_->release(); }
  bool valid() const override { return lock_->valid(); }

 private:
  std::unique_ptr<Exclusive> lock_;
};

class BlockingPrimitive::Reader : public Impl {
 public:
  Reader(const Client& client, const std::string& name, const LeaseOptions& lease)
      : mutex_(client, name, lease) {}

  Result<void> block() override { return keep(mutex_.acquire()); }
  Result<void> wait(const WaitOptions& options) override {
    return keep(mutex_.acquire_shared(options));
  }
  Result<void> unblock() override {
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

class BlockingPrimitive::LatchImpl : public Impl {
 public:
  LatchImpl(const Client& client, const std::string& name) : latch_(client, name) {}

  Result<void> block() override { return forget(latch_.set_count(1)); }
  Result<void> wait(const WaitOptions& options) override {
    return latch_.wait(options);
  }
  Result<void> unblock() override { return forget(latch_.count_down()); }
  bool valid() const override { return true; }

 private:
  template <class T>
  static Result<void> forget(const Result<T>& result) {
    if (!result.has_value()) return result.error();
    return {};
  }
  Latch latch_;
};

class BlockingPrimitive::BarrierImpl : public Impl {
 public:
  BarrierImpl(const Client& client, const std::string& name) : barrier_(client, name) {}

  Result<void> block() override { return must(barrier_.set()); }
  Result<void> wait(const WaitOptions& options) override {
    return barrier_.wait(options);
  }
  Result<void> unblock() override { return must(barrier_.remove()); }
  bool valid() const override { return true; }

 private:
  static Result<void> must(const Result<bool>& result) {
    if (!result.has_value()) return result.error();
    return *result ? Result<void>() : Errc::internal;
  }
  Barrier barrier_;
};

std::unique_ptr<BlockingPrimitive::Impl> BlockingPrimitive::make(
    Shape shape, const Client& client, const std::string& name,
    const LeaseOptions& lease) {
  switch (shape) {
    case Shape::reader:
      return std::make_unique<Reader>(client, name, lease);
    case Shape::latch:
      return std::make_unique<LatchImpl>(client, name);
    case Shape::barrier:
      return std::make_unique<BarrierImpl>(client, name);
    default:
      return std::make_unique<Lock>(shape, client, name, lease);
  }
}

BlockingPrimitive::BlockingPrimitive(Shape shape, const Client& client,
                                     const std::string& name, const LeaseOptions& lease)
    : impl_(make(shape, client, name, lease)) {}
BlockingPrimitive::~BlockingPrimitive() = default;
BlockingPrimitive::BlockingPrimitive(BlockingPrimitive&&) noexcept = default;

Result<void> BlockingPrimitive::block() { return impl_->block(); }
Result<void> BlockingPrimitive::wait(const WaitOptions& options) {
  return impl_->wait(options);
}
Result<void> BlockingPrimitive::unblock() { return impl_->unblock(); }
bool BlockingPrimitive::valid() const { return impl_->valid(); }

bool dies_with_its_owner(Shape shape) {
  return shape != Shape::latch && shape != Shape::barrier;
}

}  // namespace holdfast::test

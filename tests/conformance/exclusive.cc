#include "conformance/exclusive.h"

#include <optional>
#include <utility>

#include "conformance/claim_lock.h"
#include "holdfast/mutex.h"
#include "holdfast/recursive_mutex.h"

namespace holdfast::test {
namespace {

constexpr std::uint32_t kPermits = 5;

class WithMutex : public Exclusive {
 public:
  WithMutex(const Client& client, const std::string& name) : mutex_(client, name) {}

  Result<FencingToken> acquire(AcquireOptions options) override {
    auto got = mutex_.acquire(std::move(options));
    if (!got) return got.error();
    hold_.emplace(std::move(*got));
    return hold_->token();
  }

  Result<void> release() override {
    Hold hold = std::move(hold_.value());
    hold_.reset();
    return hold.release();
  }

 private:
  Mutex mutex_;
  std::optional<Hold> hold_;
};

class WithRecursiveMutex : public Exclusive {
 public:
  WithRecursiveMutex(const Client& client, const std::string& name)
      : mutex_(client, name) {}

  Result<FencingToken> acquire(AcquireOptions options) override {
    auto got = mutex_.acquire(std::move(options));
    if (!got) return got.error();
    return mutex_.token();
  }

  Result<void> release() override { return mutex_.release(); }

 private:
  RecursiveMutex mutex_;
};

std::unique_ptr<Exclusive> permits(const Client& client, const std::string& name,
                                   std::uint32_t number) {
  return std::make_unique<ClaimLock>(
      client, engine::Address{engine::Kind::semaphore, name},
      engine::Claim{.permits = number, .capacity = kPermits});
}

}  // namespace

std::string_view name_of(Shape shape) {
  switch (shape) {
    case Shape::mutex:
      return "mutex";
    case Shape::recursive_mutex:
      return "recursive_mutex";
    case Shape::fair_mutex:
      return "fair_mutex";
    case Shape::shared_mutex:
      return "shared_mutex";
    case Shape::semaphore:
      return "semaphore";
  }
  return {};
}

engine::Kind kind_of(Shape shape) {
  switch (shape) {
    case Shape::mutex:
    case Shape::recursive_mutex:
      return engine::Kind::mutex;
    case Shape::fair_mutex:
      return engine::Kind::fair_mutex;
    case Shape::shared_mutex:
      return engine::Kind::shared_mutex;
    case Shape::semaphore:
      return engine::Kind::semaphore;
  }
  return engine::Kind::mutex;
}

std::unique_ptr<Exclusive> make_exclusive(Shape shape, const Client& client,
                                          const std::string& name) {
  switch (shape) {
    case Shape::mutex:
      return std::make_unique<WithMutex>(client, name);
    case Shape::recursive_mutex:
      return std::make_unique<WithRecursiveMutex>(client, name);
    case Shape::semaphore:
      return permits(client, name, 1);
    case Shape::fair_mutex:
    case Shape::shared_mutex:
      break;
  }
  return std::make_unique<ClaimLock>(client, engine::Address{kind_of(shape), name});
}

std::unique_ptr<Exclusive> drain(const Client& client, const std::string& name) {
  auto most = permits(client, name, kPermits - 1);
  most->acquire().value();
  return most;
}

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// tests/conformance/forms.h - the primitives as the conformance cases use them.
//
// Each class is the primitive of the same name. In a second run of the same cases, with
// HOLDFAST_TEST_ASYNC, each call that has an asynchronous form calls that and waits for
// it, so that a case is written once for both. What has no such form (`lock`,
// `try_lock`) blocks in both runs. Only a RecursiveMutex enters asynchronously there,
// too, because its owner then is not the thread.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "holdfast/barrier.h"
#include "holdfast/counter.h"
#include "holdfast/double_barrier.h"
#include "holdfast/election.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/latch.h"
#include "holdfast/multi_lock.h"
#include "holdfast/mutex.h"
#include "holdfast/recursive_mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_count.h"
#include "holdfast/shared_mutex.h"
#include "support/awaited.h"

namespace holdfast::test {

inline bool asynchronous() {
  static const bool asked = std::getenv("HOLDFAST_TEST_ASYNC") != nullptr;
  return asked;
}

// Calls `block`, or `start` with a completion, and returns the outcome.
template <class T, class Block, class Start>
Result<T> either(Block block, Start start) {
  if (!asynchronous()) return block();
  return awaited<T>(std::move(start));
}

template <class Base>
class Releasing : public Base {
 public:
  Releasing() = default;
  Releasing(Base&& hold) noexcept : Base(std::move(hold)) {}  // NOLINT: implicit

  Result<void> release() {
    return either<void>(
        [this] { return this->Base::release(); },
        [this](auto done) { this->Base::release_async(std::move(done)); });
  }
};

using Hold = Releasing<holdfast::Hold>;
using MultiHold = Releasing<holdfast::MultiHold>;

class SharedHold : public Releasing<holdfast::SharedHold> {
 public:
  using Base = holdfast::SharedHold;
  using Releasing::Releasing;

  Result<void> downgrade() {
    return either<void>([&] { return Base::downgrade(); },
                        [&](auto done) { Base::downgrade_async(std::move(done)); });
  }
};

class Permits : public Releasing<holdfast::Permits> {
 public:
  using Base = holdfast::Permits;
  using Releasing::release;
  using Releasing::Releasing;

  Result<void> release(std::uint32_t permits) {
    return either<void>(
        [&] { return Base::release(permits); },
        [&](auto done) { Base::release_async(permits, std::move(done)); });
  }
};

template <class To, class From>
Result<To> wrapped(Result<From> held) {
  if (!held) return std::move(held).error();
  return To(*std::move(held));
}

// A primitive whose `acquire` returns a `Base`, which its cases see as a `Held`.
template <class Primitive, class Base, class Held>
class Acquiring : public Primitive {
 public:
  using Primitive::Primitive;

  [[nodiscard]] Result<Held> acquire(const WaitOptions& options = {}) {
    return wrapped<Held>(either<Base>([&] { return Primitive::acquire(options); },
                                      [&, this](auto done) {
                                        this->Primitive::acquire_async(options,
                                                                       std::move(done));
                                      }));
  }
};

using Mutex = Acquiring<holdfast::Mutex, holdfast::Hold, Hold>;
using FairMutex = Acquiring<holdfast::FairMutex, holdfast::Hold, Hold>;
using MultiLock = Acquiring<holdfast::MultiLock, holdfast::MultiHold, MultiHold>;

class SharedMutex
    : public Acquiring<holdfast::SharedMutex, holdfast::SharedHold, SharedHold> {
 public:
  using Base = holdfast::SharedMutex;
  using Acquiring::Acquiring;

  [[nodiscard]] Result<SharedHold> acquire_shared(const WaitOptions& options = {}) {
    return wrapped<SharedHold>(either<holdfast::SharedHold>(
        [&] { return Base::acquire_shared(options); },
        [&](auto done) { Base::acquire_shared_async(options, std::move(done)); }));
  }
};

class Semaphore : public Acquiring<holdfast::Semaphore, holdfast::Permits, Permits> {
 public:
  using Base = holdfast::Semaphore;
  using Acquiring::Acquiring;

  [[nodiscard]] Result<Permits> acquire_many(std::uint32_t permits,
                                             const WaitOptions& options = {}) {
    return wrapped<Permits>(either<holdfast::Permits>(
        [&] { return Base::acquire_many(permits, options); },
        [&](auto done) {
          Base::acquire_many_async(permits, options, std::move(done));
        }));
  }
  Result<bool> init_permits(std::uint32_t permits) {
    return either<bool>(
        [&] { return Base::init_permits(permits); },
        [&](auto done) { Base::init_permits_async(permits, std::move(done)); });
  }
  Result<void> set_permits(std::uint32_t permits) {
    return either<void>(
        [&] { return Base::set_permits(permits); },
        [&](auto done) { Base::set_permits_async(permits, std::move(done)); });
  }
  Result<std::uint32_t> permits() {
    return either<std::uint32_t>(
        [&] { return Base::permits(); },
        [&](auto done) { Base::permits_async(std::move(done)); });
  }
  Result<std::uint32_t> available() {
    return either<std::uint32_t>(
        [&] { return Base::available(); },
        [&](auto done) { Base::available_async(std::move(done)); });
  }
};

// In the second run each thread has an owner of its own.
class RecursiveMutex : public holdfast::RecursiveMutex {
 public:
  using Base = holdfast::RecursiveMutex;
  using Base::Base;

  [[nodiscard]] Result<void> acquire(const WaitOptions& options = {}) {
    return either<void>(
        [&] { return Base::acquire(options); },
        [&](auto done) { Base::acquire_async(me(), options, std::move(done)); });
  }
  Result<void> release() {
    return either<void>([&] { return Base::release(); },
                        [&](auto done) { Base::release_async(me(), std::move(done)); });
  }
  void lock() {
    if (!asynchronous()) return Base::lock();
    acquire().value();
  }
  [[nodiscard]] bool try_lock() {
    return asynchronous() ? try_lock_for(Timeout::zero()) : Base::try_lock();
  }
  [[nodiscard]] bool try_lock_for(Timeout wait) {
    if (!asynchronous()) return Base::try_lock_for(wait);
    const auto entered = acquire({.wait = wait});
    if (!entered && entered.error() == Errc::timed_out) return false;
    entered.value();
    return true;
  }
  void unlock() {
    if (!asynchronous()) return Base::unlock();
    (void)release();
  }

  std::size_t depth() const {
    return asynchronous() ? Base::depth(me()) : Base::depth();
  }
  FencingToken token() const {
    return asynchronous() ? Base::token(me()) : Base::token();
  }
  std::stop_token lost() const {
    return asynchronous() ? Base::lost(me()) : Base::lost();
  }

 private:
  static const Owner& me() {
    thread_local const Owner owner;
    return owner;
  }
};

class Election : public holdfast::Election {
 public:
  using Base = holdfast::Election;
  using Base::Base;

  [[nodiscard]] Result<void> campaign(std::string_view payload = {},
                                      const WaitOptions& options = {}) {
    return either<void>(
        [&] { return Base::campaign(payload, options); },
        [&](auto done) { Base::campaign_async(payload, options, std::move(done)); });
  }
  Result<void> resign() {
    return either<void>([&] { return Base::resign(); },
                        [&](auto done) { Base::resign_async(std::move(done)); });
  }
  Result<void> proclaim(std::string_view payload) {
    return either<void>(
        [&] { return Base::proclaim(payload); },
        [&](auto done) { Base::proclaim_async(payload, std::move(done)); });
  }
  Result<std::optional<Leader>> leader() {
    return either<std::optional<Leader>>(
        [&] { return Base::leader(); },
        [&](auto done) { Base::leader_async(std::move(done)); });
  }
};

// What can be waited for.
template <class Primitive>
class Awaiting : public Primitive {
 public:
  using Primitive::Primitive;

  [[nodiscard]] Result<void> wait(const WaitOptions& options = {}) {
    return either<void>([&] { return Primitive::wait(options); },
                        [&, this](auto done) {
                          this->Primitive::wait_async(options, std::move(done));
                        });
  }
};

class Latch : public Awaiting<holdfast::Latch> {
 public:
  using Base = holdfast::Latch;
  using Awaiting::Awaiting;

  Result<bool> set_count(std::int64_t count) {
    return either<bool>(
        [&] { return Base::set_count(count); },
        [&](auto done) { Base::set_count_async(count, std::move(done)); });
  }
  Result<std::int64_t> count_down(std::int64_t by = 1) {
    return either<std::int64_t>(
        [&] { return Base::count_down(by); },
        [&](auto done) { Base::count_down_async(by, std::move(done)); });
  }
  Result<std::int64_t> count() {
    return either<std::int64_t>([&] { return Base::count(); },
                                [&](auto done) { Base::count_async(std::move(done)); });
  }
};

class Barrier : public Awaiting<holdfast::Barrier> {
 public:
  using Base = holdfast::Barrier;
  using Awaiting::Awaiting;

  Result<bool> set() {
    return either<bool>([&] { return Base::set(); },
                        [&](auto done) { Base::set_async(std::move(done)); });
  }
  Result<bool> remove() {
    return either<bool>([&] { return Base::remove(); },
                        [&](auto done) { Base::remove_async(std::move(done)); });
  }
  Result<bool> is_set() {
    return either<bool>([&] { return Base::is_set(); },
                        [&](auto done) { Base::is_set_async(std::move(done)); });
  }
};

class DoubleBarrier : public holdfast::DoubleBarrier {
 public:
  using Base = holdfast::DoubleBarrier;
  using Base::Base;

  [[nodiscard]] Result<void> enter(const WaitOptions& options = {}) {
    return either<void>(
        [&] { return Base::enter(options); },
        [&](auto done) { Base::enter_async(options, std::move(done)); });
  }
  [[nodiscard]] Result<void> leave(const WaitOptions& options = {}) {
    return either<void>(
        [&] { return Base::leave(options); },
        [&](auto done) { Base::leave_async(options, std::move(done)); });
  }
};

class Counter : public holdfast::Counter {
 public:
  using Base = holdfast::Counter;
  using Base::Base;

  Result<std::int64_t> get() {
    return either<std::int64_t>([&] { return Base::get(); },
                                [&](auto done) { Base::get_async(std::move(done)); });
  }
  Result<Change> add(std::int64_t by) {
    return either<Change>([&] { return Base::add(by); },
                          [&](auto done) { Base::add_async(by, std::move(done)); });
  }
  Result<Change> subtract(std::int64_t by) {
    return either<Change>(
        [&] { return Base::subtract(by); },
        [&](auto done) { Base::subtract_async(by, std::move(done)); });
  }
  Result<Change> increment() { return add(1); }
  Result<Change> decrement() { return add(-1); }
  Result<Change> compare_exchange(std::int64_t expected, std::int64_t desired) {
    return either<Change>([&] { return Base::compare_exchange(expected, desired); },
                          [&](auto done) {
                            Base::compare_exchange_async(expected, desired,
                                                         std::move(done));
                          });
  }
  Result<Change> exchange(std::int64_t desired) {
    return either<Change>(
        [&] { return Base::exchange(desired); },
        [&](auto done) { Base::exchange_async(desired, std::move(done)); });
  }
  Result<Change> update(const Next& next, const WaitOptions& options = {}) {
    return either<Change>(
        [&] { return Base::update(next, options); },
        [&](auto done) { Base::update_async(next, options, std::move(done)); });
  }
};

class SharedCount : public holdfast::SharedCount {
 public:
  using Base = holdfast::SharedCount;
  using Base::Base;

  Result<Versioned> get() {
    return either<Versioned>([&] { return Base::get(); },
                             [&](auto done) { Base::get_async(std::move(done)); });
  }
  Result<Set> compare_exchange(const Versioned& seen, std::int64_t number) {
    return either<Set>([&] { return Base::compare_exchange(seen, number); },
                       [&](auto done) {
                         Base::compare_exchange_async(seen, number, std::move(done));
                       });
  }
  Result<Versioned> set(std::int64_t number) {
    return either<Versioned>(
        [&] { return Base::set(number); },
        [&](auto done) { Base::set_async(number, std::move(done)); });
  }
  Result<Subscription> on_change(std::function<void(const Versioned&)> listener,
                                 Executor executor = {}) {
    return either<Subscription>(
        [&] { return Base::on_change(std::move(listener), std::move(executor)); },
        [&](auto done) {
          Base::on_change_async(std::move(listener), std::move(executor),
                                std::move(done));
        });
  }
};

}  // namespace holdfast::test

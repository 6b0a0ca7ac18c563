// SPDX-License-Identifier: Apache-2.0

// holdfast/completion.h - what an asynchronous call does when it is done.
//
//   mutex.acquire_async({.wait = 2s}, [](holdfast::Result<holdfast::Hold> hold) {
//     if (!hold) return report(hold.error());
//     serve(std::move(*hold));
//   });
//
// The calls of the primitives and of their holds have such a form: `x_async(arguments,
// completion)` beside `x(arguments)`, with the same meaning, the same errors and the
// same cancellation. No thread waits for it: it costs some memory until it is done.
// docs/async.md lists what has none, such as Election::lead, `locked`, holdfast/admin.h
// and Client::open.
//
//   * The completion is called exactly once, and never inside the call that it was
//     given to.
//   * It is called on the client's runner, one thread that the first asynchronous call
//     starts; completions of one client then run one after the other. With
//     `ClientOptions::executor` it is given to that executor instead. On the runner it
//     must not block, because the client's other calls wait for it; it may start
//     further asynchronous calls. A Hold that is destroyed on the runner does not wait
//     for the engine: the client drops its claim soon after. `Hold::release_async`
//     tells when that is done. On an executor, the destructor waits for the answer.
//   * On the runner it must not throw: the program is terminated, with a sentence that
//     says why. What it throws on an executor is the executor's to handle.
//   * The call keeps what it needs: the primitive and the client that it was started
//     from may be destroyed before it is done.
//   * `WaitOptions::stop` cancels it. After Errc::cancelled and Errc::timed_out nothing
//     of it is left at the engine, or the client is about to drop it. A stop that comes
//     when the claim is already granted may be too late: the completion then gets the
//     hold.
//   * When the client is closed, its calls are completed with Errc::closed before
//     `Client::close()` returns; with an executor, they have been given to it by then.
//     A completion may close its client; the others are then completed after it.
//   * A completion that an executor destroys without calling it is never called; what
//     the call has acquired is released: a hold, a level of a RecursiveMutex, a
//     leadership, a place in a DoubleBarrier.
//   * After fork(), the calls of the parent are completed in the parent only. A call in
//     the child is completed with Errc::forked, on a thread of its own or through the
//     executor. So is a call without a client: of an empty Hold, or a MultiLock without
//     parts.
//   * When there is no memory for the call, it throws std::bad_alloc, and the
//     completion is destroyed without being called. When there is none later, the
//     completion gets Errc::full.
//   * When the system gives no thread for the runner, the completion gets Errc::full,
//     and without an executor it is called inside the call: the one exception.

#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "holdfast/result.h"

namespace holdfast::inline v0 {

// A function that is called once, with the Result of a call. It is move-only and holds
// any callable; one of up to four pointers in size, such as a coroutine handle or a
// pointer to a handler, lies inside it and costs no allocation.
//
// A callable whose receiver may go away has a member `bool accept() noexcept`. It is
// asked once, right before the function is called. If it returns false, the function is
// not called, and what the call has acquired is released.
template <class T>
class Completion {
 public:
  Completion() noexcept = default;

  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, Completion> &&
           std::is_invocable_v<std::decay_t<F>&, Result<T>>)
      Completion(F&& call)  // NOLINT: implicit, as a function is
      : kind_(&kKind<std::decay_t<F>>) {
    using Call = std::decay_t<F>;
    if constexpr (kFits<Call>) {
      ::new (static_cast<void*>(room_)) Call(std::forward<F>(call));
    } else {
      ::new (static_cast<void*>(room_)) Call*(new Call(std::forward<F>(call)));
    }
  }

  Completion(Completion&& other) noexcept { take(other); }
  Completion& operator=(Completion&& other) noexcept {
    if (this == &other) return *this;
    reset();
    take(other);
    return *this;
  }
  ~Completion() { reset(); }

  // False if it is empty: default-made, moved from or already called.
  explicit operator bool() const noexcept { return kind_ != nullptr; }

  // For the library: what `accept` of the callable returns, or true if it has none.
  // REQUIRES: it is not empty.
  bool accept() noexcept { return kind_->accept == nullptr || kind_->accept(room_); }

  // Calls the function, and destroys it afterwards. REQUIRES: it is not empty.
  void operator()(Result<T> result) {
    Completion once(std::move(*this));
    once.kind_->call(once.room_, std::move(result));
  }

 private:
  static constexpr std::size_t kRoom = 4 * sizeof(void*);

  struct Kind {
    void (*call)(std::byte* room, Result<T>&& result);
    void (*move)(std::byte* from, std::byte* to) noexcept;
    void (*destroy)(std::byte* room) noexcept;
    bool (*accept)(std::byte* room) noexcept;  // null if it always accepts
  };
  template <class Call>
  static constexpr bool kFits =
      sizeof(Call) <= kRoom &&
      alignof(Call) <= alignof(void*) && std::is_nothrow_move_constructible_v<Call>;
  template <class Stored>
  static Stored& in(std::byte* room) noexcept {
    return *std::launder(reinterpret_cast<Stored*>(room));
  }
  template <class Call>
  static constexpr Kind make_kind() noexcept {
    if constexpr (kFits<Call>) {
      return {[](std::byte* room, Result<T>&& result) {
                in<Call>(room)(std::move(result));
              },
              [](std::byte* from, std::byte* to) noexcept {
                ::new (static_cast<void*>(to)) Call(std::move(in<Call>(from)));
                in<Call>(from).~Call();
              },
              [](std::byte* room) noexcept { in<Call>(room).~Call(); },
              find_accept<Call>()};
    } else {
      return {[](std::byte* room, Result<T>&& result) {
                (*in<Call*>(room))(std::move(result));
              },
              [](std::byte* from, std::byte* to) noexcept {
                ::new (static_cast<void*>(to)) Call*(in<Call*>(from));
              },
              [](std::byte* room) noexcept { delete in<Call*>(room); },
              find_accept<Call>()};
    }
  }
  template <class Call>
  static constexpr auto find_accept() noexcept -> bool (*)(std::byte*) noexcept {
    if constexpr (!requires(Call & call) { call.accept(); }) {
      return nullptr;
    } else if constexpr (kFits<Call>) {
      return [](std::byte* room) noexcept -> bool { return in<Call>(room).accept(); };
    } else {
      return [](std::byte* room) noexcept -> bool { return in<Call*>(room)->accept(); };
    }
  }
  template <class Call>
  static constexpr Kind kKind = make_kind<Call>();

  void take(Completion& other) noexcept {
    kind_ = std::exchange(other.kind_, nullptr);
    if (kind_ != nullptr) kind_->move(other.room_, room_);
  }
  void reset() noexcept {
    if (const Kind* const kind = std::exchange(kind_, nullptr)) kind->destroy(room_);
  }

  const Kind* kind_ = nullptr;
  alignas(void*) std::byte room_[kRoom];
};

}  // namespace holdfast::inline v0

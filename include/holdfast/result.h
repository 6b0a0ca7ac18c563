// SPDX-License-Identifier: Apache-2.0

// holdfast/result.h - a value, or the reason why there is none.
//
//   auto hold = mutex.acquire({.wait = 2s});
//   if (!hold) {
//     if (hold.error() == holdfast::Errc::timed_out) return report("busy");
//     std::cerr << hold.error().message() << '\n';   // one sentence, for a person
//   }
//   const auto left = counter.get().value_or(0);
//
// A call that fails says so in a Result and does not throw. Only the standard's own
// calls of a lock (`lock`, `try_lock`, ...) throw holdfast::Error, as they have no room
// for one; docs/decisions/0032-what-throws.md says what is thrown besides, such as
// std::bad_alloc.
//
// A Result is a subset of C++23's std::expected<T, Failure>, with the same names and
// meanings and three differences: `value()` throws holdfast::Error; a Failure or an
// Errc converts to a Result, where std::expected takes a std::unexpected; and a
// Result<bool> does not convert to bool, because a condition on it would ask whether
// there is an answer and not what the answer is.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include "holdfast/export.h"

namespace holdfast::inline v0 {

// The codes by which a program can tell failures apart. `Failure::message()` is the
// sentence for a person.
enum class Errc {
  timed_out = 1,    // the wait is over, and another client still has the resource
  cancelled,        // the caller's stop_token was requested
  not_held,         // the claim was lost, released or never granted
  unavailable,      // the engine could not be reached or did not answer in time
  outcome_unknown,  // a request was sent and its reply lost: it may have been done
  unsupported,      // this engine does not have what was asked for
  wrong_kind,       // the name is used by another kind of primitive
  bad_name,         // the name is not allowed; see docs/names.md
  bad_url,
  bad_config,
  bad_argument,
  no_engine,       // there is no such engine, or it is not installed
  denied,          // a permission is missing, or the password is wrong
  incompatible,    // the stored state is foreign, damaged or of another version
  full,            // there is no room: capacity, disk, memory or threads
  closed,          // the client was closed
  forked,          // the client belongs to the parent process
  not_owner,       // a thread unlocks what it does not hold
  stale_token,     // a fence has already seen a larger token
  would_deadlock,  // the caller would wait for itself
  internal,
};

}  // namespace holdfast::inline v0

template <>
struct std::is_error_code_enum<holdfast::Errc> : std::true_type {};

namespace holdfast::inline v0 {

HOLDFAST_EXPORT const std::error_category& error_category() noexcept;
inline std::error_code make_error_code(Errc e) noexcept {
  return {static_cast<int>(e), error_category()};
}

// Why a call failed. `context` is a sentence that names the resource and the remedy. A
// copy for which there is no memory has the code alone.
struct HOLDFAST_EXPORT Failure {
  std::error_code code;
  std::string context;

  Failure(std::error_code c, std::string what = {})
      : code(c), context(std::move(what)) {}
  Failure(Errc e, std::string what = {})
      : Failure(make_error_code(e), std::move(what)) {}
  Failure(const Failure& other) noexcept;
  Failure(Failure&&) noexcept = default;
  Failure& operator=(const Failure& other) noexcept;
  Failure& operator=(Failure&&) noexcept = default;

  // The context, or the code's own sentence if there is none.
  std::string message() const;

  // Compares the code alone; the context does not count.
  friend bool operator==(const Failure& a, Errc b) noexcept { return a.code == b; }
  friend bool operator==(const Failure& a, const std::error_code& b) noexcept {
    return a.code == b;
  }
};

// What `lock()` and `value()` throw. `what()` is the failure's message, unchanged.
class HOLDFAST_EXPORT Error : public std::system_error {
 public:
  explicit Error(const Failure& failure)
      : std::system_error(failure.code), failure_(failure), what_(failure.message()) {}
  const Failure& failure() const noexcept { return failure_; }
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  Failure failure_;
  std::string what_;
};

template <class T>
class Result;

namespace detail {

template <class R, class F>
decltype(auto) call_with_value(R&& result, F&& next) {
  if constexpr (std::is_void_v<typename std::remove_cvref_t<R>::value_type>) {
    return std::forward<F>(next)();
  } else {
    return std::forward<F>(next)(*std::forward<R>(result));
  }
}

template <class R>
constexpr bool kIsResult = false;
template <class T>
constexpr bool kIsResult<Result<T>> = true;

template <class R, class F>
auto and_then(R&& result, F&& next) {
  using Next = std::remove_cvref_t<decltype(detail::call_with_value(
      std::forward<R>(result), std::forward<F>(next)))>;
  static_assert(kIsResult<Next>,
                "and_then takes a function that returns a Result; transform takes "
                "one that returns something else");
  if (!result.has_value()) return Next(std::forward<R>(result).error());
  return detail::call_with_value(std::forward<R>(result), std::forward<F>(next));
}

template <class R, class F>
auto transform(R&& result, F&& next) {
  using Value = std::remove_cv_t<decltype(detail::call_with_value(
      std::forward<R>(result), std::forward<F>(next)))>;
  if (!result.has_value()) return Result<Value>(std::forward<R>(result).error());
  if constexpr (std::is_void_v<Value>) {
    detail::call_with_value(std::forward<R>(result), std::forward<F>(next));
    return Result<Value>();
  } else {
    return Result<Value>(
        detail::call_with_value(std::forward<R>(result), std::forward<F>(next)));
  }
}

template <class R, class F>
auto or_else(R&& result, F&& other) {
  using Same = std::remove_cvref_t<R>;
  using Other = decltype(std::forward<F>(other)(std::forward<R>(result).error()));
  static_assert(std::is_same_v<std::remove_cvref_t<Other>, Same>,
                "or_else takes a function that returns the same kind of Result");
  if (result.has_value()) return Same(std::forward<R>(result));
  return Same(std::forward<F>(other)(std::forward<R>(result).error()));
}

}  // namespace detail

// Either a T or a Failure. One object is not safe for concurrent use.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  using error_type = Failure;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}    // NOLINT
  Result(Failure why) : state_(std::in_place_index<1>, std::move(why)) {}  // NOLINT
  Result(Errc why) : state_(std::in_place_index<1>, why) {}  // NOLINT: implicit

  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept requires(!std::is_same_v<T, bool>) {
    return has_value();
  }

  // REQUIRES: has_value()
  T& operator*() & noexcept { return *std::get_if<0>(&state_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }
  T&& operator*() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() noexcept { return std::get_if<0>(&state_); }
  const T* operator->() const noexcept { return std::get_if<0>(&state_); }

  // REQUIRES: !has_value()
  const Failure& error() const& noexcept { return *std::get_if<1>(&state_); }
  Failure&& error() && noexcept { return std::move(*std::get_if<1>(&state_)); }

  // Returns the value, or throws the failure as holdfast::Error.
  T& value() & { return require(), **this; }
  const T& value() const& { return require(), **this; }
  T&& value() && { return require(), std::move(**this); }

  // Returns the value, or `otherwise` if there is none.
  template <class U>
  T value_or(U&& otherwise) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(otherwise));
  }
  template <class U>
  T value_or(U&& otherwise) && {
    return has_value() ? std::move(**this) : static_cast<T>(std::forward<U>(otherwise));
  }

  // Return what `next` makes of the value, or the same failure. `and_then` is for a
  // function that returns a Result, `transform` for one that returns another value, or
  // nothing.
  template <class F>
  auto and_then(F&& next) & {
    return detail::and_then(*this, std::forward<F>(next));
  }
  template <class F>
  auto and_then(F&& next) const& {
    return detail::and_then(*this, std::forward<F>(next));
  }
  template <class F>
  auto and_then(F&& next) && {
    return detail::and_then(std::move(*this), std::forward<F>(next));
  }
  template <class F>
  auto transform(F&& next) & {
    return detail::transform(*this, std::forward<F>(next));
  }
  template <class F>
  auto transform(F&& next) const& {
    return detail::transform(*this, std::forward<F>(next));
  }
  template <class F>
  auto transform(F&& next) && {
    return detail::transform(std::move(*this), std::forward<F>(next));
  }

  // Returns the same value, or what `other` makes of the failure: a Result<T>.
  template <class F>
  auto or_else(F&& other) const& {
    return detail::or_else(*this, std::forward<F>(other));
  }
  template <class F>
  auto or_else(F&& other) && {
    return detail::or_else(std::move(*this), std::forward<F>(other));
  }

 private:
  void require() const {
    if (!has_value()) throw Error(error());
  }
  std::variant<T, Failure> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  using error_type = Failure;

  Result() = default;
  Result(Failure why) : why_(std::move(why)) {}  // NOLINT: implicit
  Result(Errc why) : why_(why) {}                // NOLINT: implicit

  bool has_value() const noexcept { return !why_; }
  explicit operator bool() const noexcept { return has_value(); }
  const Failure& error() const& noexcept { return *why_; }  // REQUIRES: !has_value()
  Failure&& error() && noexcept { return std::move(*why_); }
  void value() const {
    if (why_) throw Error(*why_);
  }

  // Do what they do in the other Results; `next` takes no argument.
  template <class F>
  auto and_then(F&& next) const& {
    return detail::and_then(*this, std::forward<F>(next));
  }
  template <class F>
  auto and_then(F&& next) && {
    return detail::and_then(std::move(*this), std::forward<F>(next));
  }
  template <class F>
  auto transform(F&& next) const& {
    return detail::transform(*this, std::forward<F>(next));
  }
  template <class F>
  auto transform(F&& next) && {
    return detail::transform(std::move(*this), std::forward<F>(next));
  }
  template <class F>
  auto or_else(F&& other) const& {
    return detail::or_else(*this, std::forward<F>(other));
  }
  template <class F>
  auto or_else(F&& other) && {
    return detail::or_else(std::move(*this), std::forward<F>(other));
  }

 private:
  std::optional<Failure> why_;
};

}  // namespace holdfast::inline v0

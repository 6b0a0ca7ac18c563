// holdfast/result.h - a value, or the reason why there is none.
//
//   auto hold = mutex.acquire({.wait = 2s});
//   if (!hold) {
//     if (hold.error().code == holdfast::Errc::timed_out) return busy();
//     std::cerr << hold.error().message() << '\n';   // one sentence, for a person
//   }
//
// Every layer returns a Result; exceptions (holdfast::Error) appear only where the
// standard's interfaces leave no room for one, as in `lock()`.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include "holdfast/export.h"

namespace holdfast {

enum class Errc {
  timed_out = 1,    // someone else has it, and the wait is over
  cancelled,        // the caller's stop_token was requested
  not_held,         // the claim is gone: lost, released or never granted
  unavailable,      // the engine could not be reached or could not answer in time
  outcome_unknown,  // it was asked, the answer is lost; it may have been done
  unsupported,      // this engine cannot give what was asked for
  wrong_kind,       // the name is used by another kind of primitive
  bad_name,         // see docs/names.md
  bad_url,
  bad_config,
  bad_argument,
  no_engine,       // no such engine, or it was not built in
  denied,          // permission or password
  incompatible,    // the stored state is foreign, damaged or of another version
  full,            // no room: capacity, disk or memory
  closed,          // the client was closed
  forked,          // the client belongs to the parent process
  not_owner,       // unlock by a thread that does not hold the lock
  stale_token,     // a fence has already seen a larger token
  would_deadlock,  // the caller would wait for itself
  internal,
};

}  // namespace holdfast

template <>
struct std::is_error_code_enum<holdfast::Errc> : std::true_type {};

namespace holdfast {

HOLDFAST_EXPORT const std::error_category& error_category() noexcept;
inline std::error_code make_error_code(Errc e) noexcept {
  return {static_cast<int>(e), error_category()};
}

// Why something did not happen. `context` says to what, and what to do about it.
struct HOLDFAST_EXPORT Failure {
  std::error_code code;
  std::string context;

  Failure(std::error_code c, std::string what = {})
      : code(c), context(std::move(what)) {}
  Failure(Errc e, std::string what = {})
      : Failure(make_error_code(e), std::move(what)) {}

  std::string message() const;  // the context, or the code's own sentence without one
};

// What `lock()` and its relatives throw. `what()` is the failure's message, as it is.
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

// Either a T or a Failure. A distinct object is not safe for concurrent use.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}    // NOLINT
  Result(Failure why) : state_(std::in_place_index<1>, std::move(why)) {}  // NOLINT
  Result(Errc why) : state_(std::in_place_index<1>, why) {}  // NOLINT: implicit

  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  // REQUIRES: has_value()
  T& operator*() & noexcept { return *std::get_if<0>(&state_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }
  T&& operator*() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() noexcept { return std::get_if<0>(&state_); }
  const T* operator->() const noexcept { return std::get_if<0>(&state_); }

  // REQUIRES: !has_value()
  const Failure& error() const& noexcept { return *std::get_if<1>(&state_); }
  Failure&& error() && noexcept { return std::move(*std::get_if<1>(&state_)); }

  // The value, or throws holdfast::Error.
  T& value() & { return require(), **this; }
  T&& value() && { return require(), std::move(**this); }

 private:
  void require() const {
    if (!has_value()) throw Error(error());
  }
  std::variant<T, Failure> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
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

 private:
  std::optional<Failure> why_;
};

}  // namespace holdfast

// holdfast/locked.h - a function that runs under a lock which its arguments name.
//
//   auto pay = holdfast::locked(client, {.prefix = "USER", .key = &User::id}, settle);
//   auto done = pay(user);                        // under the lock "USER:4711"
//   if (!done) return report(done.error());       // not locked, so not called
//
//   auto move = holdfast::locked(client, {.prefix = "MOVE", .key = "{0}:{1}"}, send);
//
// It composes: what `locked` returns can be locked again, or handed on as any function.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "holdfast/client.h"
#include "holdfast/export.h"
#include "holdfast/lease.h"
#include "holdfast/mutex.h"
#include "holdfast/result.h"

namespace holdfast {

namespace detail {

// One argument of a call, without its type.
struct Argument {
  const std::type_info* type;
  const void* value;
  std::string (*text)(const void* value);  // null: it cannot be written as text
};

template <class T>
concept Writable = requires(std::ostream& out, const T& value) {
  out << value;
};

template <class T>
std::string to_text(const T& value) {
  std::ostringstream out;
  out << value;
  return std::move(out).str();
}

template <class T>
Argument argument(const T& value) {
  Argument made{&typeid(T), &value, nullptr};
  if constexpr (Writable<T>) {
    made.text = [](const void* at) { return to_text(*static_cast<const T*>(at)); };
  }
  return made;
}

template <class T>
struct Flattened {
  using type = Result<std::decay_t<T>>;
};
template <class T>
struct Flattened<Result<T>> {
  using type = Result<T>;
};
template <>
struct Flattened<void> {
  using type = Result<void>;
};

}  // namespace detail

// How to make a key of the arguments:
//   &User::id, &User::name     of the first argument of that type
//   [](const User& user) ...  the same, computed
//   "{0}:{1}", "{}"           the arguments by number, or the next one
//   nothing                   the prefix alone names the lock
class HOLDFAST_EXPORT LockKey {
 public:
  LockKey() = default;
  LockKey(const char* format) : format_(format) {}             // NOLINT: implicit
  LockKey(std::string format) : format_(std::move(format)) {}  // NOLINT: implicit
  template <class C, class T>
  LockKey(T C::*member)  // NOLINT: implicit
      : LockKey(&typeid(C), [member](const void* object) {
          return detail::to_text(std::invoke(member, *static_cast<const C*>(object)));
        }) {}
  template <class F, class = decltype(&F::operator())>
  LockKey(F compute)  // NOLINT: implicit
      : LockKey(std::function(std::move(compute))) {}
  template <class R, class A>
  LockKey(std::function<R(A)> compute)  // NOLINT: implicit
      : LockKey(&typeid(std::decay_t<A>),
                [compute = std::move(compute)](const void* object) {
                  using Object = std::remove_reference_t<A>;
                  return detail::to_text(compute(*static_cast<Object*>(object)));
                }) {}

  // Errc::bad_argument: no argument of that type or number, or one that is not text.
  Result<std::string> of(std::span<const detail::Argument> arguments) const;

 private:
  using Compute = std::function<std::string(const void*)>;
  LockKey(const std::type_info* type, Compute compute)
      : type_(type), compute_(std::move(compute)) {}

  std::string format_;
  const std::type_info* type_ = nullptr;
  Compute compute_;
};

struct LockedOptions {
  std::string prefix = {};  // the name is "prefix:key"
  LockKey key = {};
  Timeout wait = Timeout::forever();
  LeaseOptions lease = {};
};

// A function of the same arguments that gives a Result: what `fn` returned (flattened,
// if that was a Result), or why it was not called. `fn` may take a `const Hold&` before
// its arguments, for the token and for lost(). Copyable; safe for concurrent use if
// `fn` is.
template <class F>
auto locked(Client client, LockedOptions options, F fn) {
  auto shared = std::make_shared<const LockedOptions>(std::move(options));
  return [client = std::move(client), shared = std::move(shared),
          fn = std::move(fn)]<class... Args>(Args&&... args) {
    constexpr bool kTakesHold = !std::is_invocable_v<const F&, Args...>;
    const auto call = [&](const Hold& hold) -> decltype(auto) {
      if constexpr (kTakesHold) {
        return std::invoke(fn, hold, std::forward<Args>(args)...);
      } else {
        return std::invoke(fn, std::forward<Args>(args)...);
      }
    };
    using Returned = decltype(call(std::declval<const Hold&>()));
    using Answer = typename detail::Flattened<std::remove_cvref_t<Returned>>::type;

    const detail::Argument arguments[] = {detail::argument(args)...,
                                          {nullptr, nullptr, nullptr}};
    const auto key = shared->key.of(std::span(arguments).first(sizeof...(Args)));
    if (!key) return Answer(key.error());
    std::string name = shared->prefix;
    if (!name.empty() && !key->empty()) name += ':';
    Mutex mutex(client, name + *key, shared->lease);
    const auto hold = mutex.acquire({.wait = shared->wait});
    if (!hold) return Answer(hold.error());
    if constexpr (std::is_void_v<Returned>) {
      call(*hold);
      return Answer();
    } else {
      return Answer(call(*hold));
    }
  };
}

}  // namespace holdfast

// SPDX-License-Identifier: Apache-2.0

// holdfast/locked.h - a function that runs under a lock which its arguments name.
//
//   auto pay = holdfast::locked(client, {.prefix = "USER"}, &User::id, settle);
//   auto done = pay(user);                        // under the lock "USER:4711"
//   if (!done) return report(done.error());       // not locked, so not called
//
//   using holdfast::key_text, holdfast::or_throw, holdfast::or_else;
//   auto move = holdfast::locked(client, {}, key_text<"move {0}:{1}">, transfer);
//   auto must = holdfast::locked(client, {}, key_text<"move {}">, transfer, or_throw);
//   int sum = must(3, 4);                         // or throws holdfast::Error
//
//   const holdfast::LockedOptions nightly{.prefix = "nightly", .wait = 0s};
//   auto skip = [](const holdfast::Failure& why) { report(why); };
//   auto once = holdfast::locked(client, nightly, compute, or_else(skip));  // no key
//
// The functions compose: what `locked` returns can be locked again, or be passed on as
// any function can.

#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <functional>
#include <locale>
#include <memory>
#include <sstream>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "holdfast/client.h"
#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::inline v0 {

enum class LockType {
  mutex,      // holdfast/mutex.h
  fair,       // holdfast/fair_mutex.h, in order of arrival
  shared,     // the read side of holdfast/shared_mutex.h
  exclusive,  // the write side of holdfast/shared_mutex.h
};

struct LockedOptions {
  std::string prefix = {};  // the name of the lock is "prefix:key"
  LockType type = LockType::mutex;
  Timeout wait = Timeout::forever();  // as in WaitOptions
  std::stop_token stop = {};          // as in WaitOptions
  LeaseOptions lease = {};
};

namespace detail {

template <std::size_t kSize>
struct Literal {
  consteval Literal(const char (&from)[kSize]) {  // NOLINT: implicit
    std::copy_n(from, kSize, text);
  }
  constexpr std::string_view view() const { return {text, kSize - 1}; }
  char text[kSize];
};

}  // namespace detail

// The key of `locked` that is a text with the arguments in it.
template <detail::Literal kFormat>
struct KeyText {};
template <detail::Literal kFormat>
inline constexpr KeyText<kFormat> key_text{};

// The key of `locked` that a function computes from the arguments.
template <class F>
struct KeyOf {
  F function;
};
template <class F>
KeyOf<F> key_of(F fn) {
  return {std::move(fn)};
}

// The last argument of `locked` says what a call does when it does not get the lock.
// Without it, the call returns a Result. With `or_throw`, the call throws
// holdfast::Error. With `or_else(f)`, the call returns what `f` returns for
// (failure, arguments...). In the last two cases the call otherwise returns what the
// guarded function returns, without a Result around it.
struct OrThrow {};
inline constexpr OrThrow or_throw{};

template <class F>
struct OrElse {
  F function;
};
template <class F>
OrElse<F> or_else(F fn) {
  return {std::move(fn)};
}

namespace detail {

// Takes the lock that `options` and `key` name. The hold outlives the lock's object.
HOLDFAST_EXPORT Result<Hold> lock_for_call(const Client& client,
                                           const LockedOptions& options,
                                           std::string_view key);

template <class T>
concept Writable = requires(std::ostream& out, const T& value) {
  out << value;
};

// What << writes as an address, or as true, which says nothing about the object.
template <class T>
constexpr bool kIsAddress = std::is_member_pointer_v<T> ||
                            (std::is_pointer_v<std::decay_t<T>> &&
                             !std::is_same_v<std::decay_t<T>, char*> &&
                             !std::is_same_v<std::decay_t<T>, const char*>);
template <class T>
requires requires(const T& pointer) {
  typename T::element_type;
  pointer.get();
}
constexpr bool kIsAddress<T> = true;

template <class T>
std::string to_text(const T& value) {
  static_assert(Writable<T>, "a key is made of what << can write to a stream");
  static_assert(!kIsAddress<T>, "a key made of an address differs in every process");
  if constexpr (std::is_floating_point_v<T>) {
    std::array<char, 64> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
  } else {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << value;
    return std::move(out).str();
  }
}

// Goes through a format and calls back for its parts. Returns whether the format is
// well formed.
template <class OnText, class OnArgument>
constexpr bool scan(std::string_view format, OnText&& on_text,
                    OnArgument&& on_argument) {
  std::size_t next = 0;
  while (!format.empty()) {
    const std::size_t plain = std::min(format.find_first_of("{}"), format.size());
    on_text(format.substr(0, plain));
    format.remove_prefix(plain);
    if (format.empty()) break;
    if (format.size() > 1 && format[1] == format[0]) {
      on_text(format.substr(0, 1));
      format.remove_prefix(2);
      continue;
    }
    const std::size_t end = format.find('}');
    if (format[0] == '}' || end == std::string_view::npos) return false;
    std::size_t number = 0;
    for (const char digit : format.substr(1, end - 1)) {
      if (digit < '0' || digit > '9' || number > 1000) return false;
      number = number * 10 + static_cast<std::size_t>(digit - '0');
    }
    on_argument(end == 1 ? next++ : number);
    format.remove_prefix(end + 1);
  }
  return true;
}

template <Literal kFormat>
constexpr bool is_well_formed() {
  return scan(
      kFormat.view(), [](std::string_view) {}, [](std::size_t) {});
}

template <Literal kFormat>
constexpr bool uses(std::size_t argument) {
  bool found = false;
  (void)scan(
      kFormat.view(), [](std::string_view) {},
      [&](std::size_t number) { found = found || number == argument; });
  return found;
}

template <Literal kFormat>
constexpr std::size_t arguments_of() {
  std::size_t count = 0;
  (void)scan(
      kFormat.view(), [](std::string_view) {},
      [&](std::size_t number) { count = std::max(count, number + 1); });
  return count;
}

template <Literal kFormat, std::size_t kNumber, class T>
std::string text_if_used(const T& value) {
  if constexpr (uses<kFormat>(kNumber)) return to_text(value);
  return {};
}

template <Literal kFormat, std::size_t... kNumber, class... Args>
std::string fill(std::index_sequence<kNumber...>, const Args&... args) {
  const std::array<std::string, sizeof...(Args) + 1> texts{
      text_if_used<kFormat, kNumber>(args)..., std::string()};
  std::string filled;
  (void)scan(
      kFormat.view(), [&](std::string_view text) { filled += text; },
      [&](std::size_t number) { filled += texts[number]; });
  return filled;
}

template <class Key, class First, class... Rest>
std::string key_of_one(const Key& key, const First& first, const Rest&... rest) {
  if constexpr (std::is_invocable_v<const Key&, const First&>) {
    return to_text(std::invoke(key, first));
  } else {
    static_assert(sizeof...(Rest) != 0, "the key of `locked` fits no argument");
    if constexpr (sizeof...(Rest) != 0) return key_of_one(key, rest...);
  }
}

struct NoKey {};

// A member that can be read through a reference to a constant object.
template <class T>
constexpr bool kIsReadable = std::is_member_object_pointer_v<T>;
template <class R, class C, class... Args>
constexpr bool kIsReadable<R (C::*)(Args...) const> = !std::is_void_v<R>;
template <class R, class C, class... Args>
constexpr bool kIsReadable<R (C::*)(Args...) const noexcept> = !std::is_void_v<R>;
template <class R, class C, class... Args>
constexpr bool kIsReadable<R (C::*)(Args...) const&> = !std::is_void_v<R>;
template <class R, class C, class... Args>
constexpr bool kIsReadable<R (C::*)(Args...) const& noexcept> = !std::is_void_v<R>;

// What says by itself that it is a key, or what is done without the lock. A function
// says neither, so it is a key or an alternative only inside key_of or or_else.
template <class T>
constexpr bool kIsNamedKey = std::is_same_v<T, NoKey>;
template <Literal kFormat>
constexpr bool kIsNamedKey<KeyText<kFormat>> = true;
template <class F>
constexpr bool kIsNamedKey<KeyOf<F>> = true;

struct AsResult {};

template <class T>
constexpr bool kIsOtherwise = std::is_same_v<T, AsResult> || std::is_same_v<T, OrThrow>;
template <class F>
constexpr bool kIsOtherwise<OrElse<F>> = true;

template <class T>
concept IsKey = kIsNamedKey<T> || kIsReadable<T>;
template <class T>
concept IsOtherwise = kIsOtherwise<T>;
template <class T>
concept IsGuarded =
    !kIsNamedKey<T> && !kIsOtherwise<T> && !std::is_member_object_pointer_v<T>;

template <class Key>
struct KeySpelling {
  template <class... Args>
  static std::string text(const Key& key, const Args&... args) {
    if constexpr (sizeof...(Args) > 1 &&
                  std::is_invocable_v<const Key&, const Args&...>) {
      return to_text(std::invoke(key, args...));
    } else {
      static_assert(sizeof...(Args) != 0, "the key of `locked` needs an argument");
      if constexpr (sizeof...(Args) != 0) return key_of_one(key, args...);
    }
  }
};

template <class F>
struct KeySpelling<KeyOf<F>> {
  template <class... Args>
  static std::string text(const KeyOf<F>& key, const Args&... args) {
    return KeySpelling<F>::text(key.function, args...);
  }
};

template <>
struct KeySpelling<NoKey> {
  template <class... Args>
  static std::string text(NoKey, const Args&...) {
    return {};
  }
};

template <Literal kFormat>
struct KeySpelling<KeyText<kFormat>> {
  template <class... Args>
  static std::string text(KeyText<kFormat>, const Args&... args) {
    static_assert(is_well_formed<kFormat>(),
                  "between the braces of a key stands a number, or nothing");
    static_assert(arguments_of<kFormat>() <= sizeof...(Args),
                  "the key of `locked` names an argument that the call does not have");
    if constexpr (is_well_formed<kFormat>() &&
                  arguments_of<kFormat>() <= sizeof...(Args)) {
      return fill<kFormat>(std::index_sequence_for<Args...>(), args...);
    }
  }
};

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

// Calls the function, with the hold before the arguments if it takes one.
template <class F, class... Args>
decltype(auto) call_under(const Hold& hold, const F& fn, Args&&... args) {
  if constexpr (std::is_invocable_v<const F&, Args...>) {
    return std::invoke(fn, std::forward<Args>(args)...);
  } else {
    return std::invoke(fn, hold, std::forward<Args>(args)...);
  }
}

}  // namespace detail

// Returns a function of the same arguments as `fn`, which takes the lock, calls `fn`
// and releases the lock. A call returns a Result with what `fn` returned (flattened, if
// that was a Result), or with the reason why `fn` was not called; `otherwise` changes
// that, as described above. `fn` may take a `const Hold&` before its arguments, for the
// token and for lost(). The returned function is copyable. It is safe for concurrent
// use if `fn`, `key` and `otherwise` are.
//
// `key` is one of these:
//   &User::id, &User::name           of the first argument that has such a member
//   key_of([](const User& u) ...)    computed from the first argument that it takes
//   key_of([](int from, int to) ...) computed from all arguments
//   key_text<"{0}:{1}">              arguments by number; {} is the next, {{ and }} are
//                                    braces
// The key is resolved at compile time: a call with no argument that fits the key does
// not compile, nor does a pointer as a key, nor a function where the key belongs, but
// for a member function that is const, which is a key there as a member is. Every
// process spells a key alike, whatever its locale is: a floating-point number is spelt
// with the fewest digits that tell it from all others (0.1, 1e+06), and any other value
// as << writes it in the "C" locale.
template <detail::IsKey Key, detail::IsGuarded F,
          detail::IsOtherwise Otherwise = detail::AsResult>
auto locked(Client client, LockedOptions options, Key key, F fn,
            Otherwise otherwise = {}) {
  auto shared = std::make_shared<const LockedOptions>(std::move(options));
  return [client = std::move(client), shared = std::move(shared), key = std::move(key),
          fn = std::move(fn),
          otherwise = std::move(otherwise)]<class... Args>(Args&&... args) {
    using Returned = decltype(detail::call_under(std::declval<const Hold&>(), fn,
                                                 std::forward<Args>(args)...));
    const std::string text = detail::KeySpelling<Key>::text(key, args...);
    const auto hold = detail::lock_for_call(client, *shared, text);
    static_cast<void>(otherwise);  // Only what or_else was given is called.
    if constexpr (std::is_same_v<Otherwise, detail::AsResult>) {
      using Answer = typename detail::Flattened<std::remove_cvref_t<Returned>>::type;
      if (!hold) return Answer(hold.error());
      if constexpr (std::is_void_v<Returned>) {
        detail::call_under(*hold, fn, std::forward<Args>(args)...);
        return Answer();
      } else {
        return Answer(detail::call_under(*hold, fn, std::forward<Args>(args)...));
      }
    } else {
      using Answer = std::decay_t<Returned>;
      if (!hold) {
        if constexpr (std::is_same_v<Otherwise, OrThrow>) {
          throw Error(hold.error());
        } else {
          return Answer(std::invoke(otherwise.function, hold.error(),
                                    std::forward<Args>(args)...));
        }
      }
      return Answer(detail::call_under(*hold, fn, std::forward<Args>(args)...));
    }
  };
}

// Does the same under one lock for all calls, which the prefix names.
template <detail::IsGuarded F, detail::IsOtherwise Otherwise = detail::AsResult>
auto locked(Client client, LockedOptions options, F fn, Otherwise otherwise = {}) {
  return locked(std::move(client), std::move(options), detail::NoKey{}, std::move(fn),
                std::move(otherwise));
}

}  // namespace holdfast::inline v0

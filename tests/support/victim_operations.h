// SPDX-License-Identifier: Apache-2.0

// tests/support/victim_operations.h - how the victim's operations are read and run.

#pragma once

#include <concepts>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "holdfast/counter.h"
#include "holdfast/election.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"
#include "holdfast/shared_count.h"
#include "support/victim_primitives.h"

namespace holdfast::test {

// A Make function makes a form from a name and a number.
using Make = Operations (*)(const Client&, const std::string&, std::uint32_t);
using Forms = std::map<std::string, Make>;
Forms claim_forms();
Forms register_forms();

// Returns the next word of a line, or `otherwise` at its end.
template <class T = std::int64_t>
T next(std::istream& words, T otherwise = {}) {
  T word{};
  return words >> word ? word : otherwise;
}

// These spell an answer. A failure is thrown.
inline std::string text(std::string plain) { return plain; }
std::string text(std::integral auto number) { return std::to_string(number); }
inline std::string text(bool yes) { return yes ? "yes" : "no"; }
inline std::string text(FencingToken token) { return text(token.value); }
inline std::string text(const Versioned& now) {
  return text(now.number) + " " + text(now.version);
}
inline std::string text(const SharedCount::Set& set) {
  return text(set.done) + " " + text(set.now);
}
inline std::string text(const Change& change) {
  return text(change.done) + " " + text(change.before) + " " + text(change.after) +
         " " + text(change.tries);
}
inline std::string text(const std::optional<Leader>& leader) {
  return leader ? leader->payload : "";
}
inline std::string text(const Result<void>& result) { return result.value(), ""; }
template <class T>
std::string text(Result<T> result) {
  return text(std::move(result).value());
}

using WaitCall = std::function<Result<void>(std::istream&, const WaitOptions&)>;

inline Operations try_and_take(const WaitCall& wait) {
  return {
      {"try",
       [=](auto& in) {
         const auto got = wait(in, {.wait = Timeout::zero()});
         const bool busy = !got && got.error().code == Errc::timed_out;
         return busy ? text(false) : text(got) + text(true);
       }},
      {"take", [=](auto& in) { return text(wait(in, {})); }},
  };
}

template <class Held>
using Slot = std::shared_ptr<std::optional<Held>>;

// Returns the operations of every primitive that is acquired as a hold, and `more` of
// them.
template <class Held, class Acquire>
Operations holding(const Slot<Held>& slot, Acquire acquire, Operations more = {}) {
  more.merge(try_and_take([=](auto& in, const auto& options) -> Result<void> {
    auto got = acquire(in, options);
    if (!got) return got.error();
    *slot = *std::move(got);
    return {};
  }));
  more.merge(Operations{
      {"release", [=](auto&) { return text(slot->value().release()); }},
      {"valid", [=](auto&) { return text(*slot && (*slot)->valid()); }},
  });
  return more;
}

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "core/explain.h"

#include <algorithm>
#include <exception>
#include <optional>

#include "base/ask_engine.h"
#include "base/common_failures.h"
#include "base/durations.h"
#include "base/kind.h"
#include "core/client_state.h"
#include "core/inspect.h"
#include "holdfast/holder.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

// The caller's wait is over, and an explanation for people must not prolong it by much.
constexpr std::chrono::nanoseconds kTimeToExplain = 500ms;

std::string describe(const engine::Entry& holder) {
  const Holder written = read_holder(holder.payload);
  std::string text = printable(written.text.empty() ? holder.owner : written.text);
  std::string rest;
  if (holder.since) {
    const auto age = std::chrono::system_clock::now() - *holder.since;
    // An engine may store whole seconds, so an age below two of them is not known.
    const auto seconds = std::chrono::floor<std::chrono::seconds>(age);
    rest = seconds.count() < 2 ? std::string(" for less than 2 s")
                               : " for " + base::spell_duration(seconds);
  }
  if (holder.token) rest += " (token " + std::to_string(holder.token.value) + ")";
  if (const std::string more = circumstances(written); !more.empty()) {
    text += ", " + more + (rest.empty() ? "" : ",");
  }
  return text + rest;
}

// Returns nothing if no client holds it, or if the engine does not answer.
std::optional<engine::Entry> find_holder(const BoundResource& bound) {
  constexpr std::size_t kEnough = 4;
  ClientState& client = bound.client();
  if (!client.answers()) return std::nullopt;
  const auto until = std::min(bound.call_deadline(), Clock::now() + kTimeToExplain);
  auto entries =
      base::ask_engine([&] { return bound.resource().survey(kEnough, until); });
  client.note_answer(entries);
  if (!entries) return std::nullopt;
  const auto holder = std::find_if(entries->begin(), entries->end(),
                                   [](const auto& entry) { return entry.granted; });
  if (holder == entries->end()) return std::nullopt;
  return std::move(*holder);
}

// Returns the kind with its article, as in "a fair mutex".
std::string a_kind(engine::Kind kind) {
  const std::string words = base::kind_in_words(kind);
  return (words.front() == 'e' ? "an " : "a ") + words;
}

// Returns the name as it has to be typed in a shell, after all options.
std::string shell_word(std::string_view name) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,-";
  std::string word = name.starts_with('-') ? "-- " : "";
  if (name.find_first_not_of(kPlain) == std::string_view::npos)
    return word.append(name);
  word += '\'';
  for (const char c : name) {
    if (c == '\'') word += "'\\'";
    word += c;
  }
  return word + '\'';
}

std::string describe_value(const ResourceState& state) {
  const std::string number = std::to_string(state.value->number);
  switch (state.address.kind) {
    case engine::Kind::semaphore:
      return " with " + number + " permits";
    default:
      return " with the value " + number;
  }
}

// Says what is stored or held under the name, and how to get rid of it.
std::string describe(const ResourceState& found, const engine::Address& wanted) {
  const std::string other_name =
      "use another name for " + a_kind(wanted.kind) + ", or ";
  if (found.in_use()) return describe_use(found) + ": " + other_name + "wait";
  return "\"" + found.address.name + "\" is " + a_kind(found.address.kind) +
         describe_value(found) + ": " + other_name +
         "free this one with `holdfast rm --kind " +
         std::string(base::kKindNames[static_cast<std::size_t>(found.address.kind)]) +
         " " + shell_word(found.address.name) + "` or holdfast::remove";
}

}  // namespace

std::string describe_use(const ResourceState& state) {
  const std::string text = "\"" + state.address.name + "\" is in use as " +
                           a_kind(state.address.kind) + ", ";
  if (state.holders.empty())
    return text + "awaited by " + describe(state.waiters.front());
  return text + "held by " + describe(state.holders.front());
}

Failure explain_wrong_kind(engine::Session& session, const engine::Address& wanted,
                           const Failure& why) {
  if (why.code != Errc::wrong_kind) return why;
  const auto states = look_at_all(session, wanted.name, Clock::now() + kTimeToExplain);
  if (!states) return why;
  // A value that is no number reads as a barrier and may belong to another program, so
  // we do not advise its removal.
  const auto other =
      std::find_if(states->begin(), states->end(), [&](const auto& each) {
        return each.address.kind != wanted.kind &&
               each.address.kind != engine::Kind::barrier;
      });
  if (other == states->end()) return why;
  return {Errc::wrong_kind, describe(*other, wanted)};
}

Failure explain_wrong_kind(const BoundResource& bound, const Failure& why) {
  if (why.code != Errc::wrong_kind) return why;
  return explain_wrong_kind(bound.client().session(),
                            {bound.kind(), std::string(bound.name())}, why);
}

Failure explain_timeout(const BoundResource& bound, Timeout wait) noexcept {
  try {
    const bool is_lock = bound.kind() <= engine::Kind::shared_mutex;
    const std::string text = (is_lock ? "lock" : base::kind_in_words(bound.kind())) +
                             " " + base::in_quotes(bound.name()) + " ";
    const auto holder = find_holder(bound);
    return {Errc::timed_out, text + (holder ? "is held by " + describe(*holder)
                                            : "was not granted within " +
                                                  base::spell_duration(wait.span()))};
  } catch (const std::exception&) {
    return Errc::timed_out;
  }
}

}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/names.h"

namespace holdfast::redis {

KeyNames::KeyNames(const KeyPrefixes& prefixes, std::string_view name) noexcept
    : prefixes_(prefixes),
      name_(name),
      braced_(name.find('{') != std::string_view::npos) {}

// Calls `use` with the pieces of the word.
template <class Use>
decltype(auto) KeyNames::spell(Part part, std::string_view owner, Use&& use) const {
  const std::string_view open = braced_ ? "" : "{";
  const std::string_view close = braced_ ? "" : "}";
  const std::string_view our_colon = braced_ ? "::" : ":";
  const std::string_view none;

  const auto theirs = [&](std::string_view prefix) -> decltype(auto) {
    return use(prefix, std::string_view(":"), open, name_, close, none, none);
  };
  const auto ours = [&](std::string_view prefix) -> decltype(auto) {
    return use(prefix, our_colon, open, name_, close, none, none);
  };
  switch (part) {
    case Part::lock:
      if (!prefixes_.lock.empty()) return ours(prefixes_.lock);
      return use(none, none, none, name_, none, none, none);
    case Part::record:
      return use(prefixes_.record, our_colon, open, name_, close, std::string_view(":"),
                 owner);
    case Part::queue:
      return ours(prefixes_.queue);
    case Part::holders:
      return ours("holdfast_holders");
    case Part::token:
      return theirs(prefixes_.token);
    case Part::channel:
      // RCountDownLatch adds braces to every name.
      if (prefixes_.channel.ends_with("__")) {
        return use(prefixes_.channel, none, std::string_view("{"), name_,
                   std::string_view("}"), none, none);
      }
      return theirs(prefixes_.channel);
    case Part::fair_queue:
      return theirs("redisson_lock_queue");
    case Part::fair_timeouts:
      return theirs("redisson_lock_timeout");
    case Part::permit_timeouts:
      return use(none, none, open, name_, close, std::string_view(":"),
                 std::string_view("timeout"));
    case Part::no_key:
      return ours("holdfast_none");
    case Part::reader_timeout:
      break;
  }
  std::string rest(owner);
  rest += ":rwlock_timeout:1";
  return use(none, none, open, name_, close, std::string_view(":"),
             std::string_view(rest));
}

void KeyNames::add_key(Invocation& call, Part part, std::string_view owner) const {
  spell(part, owner, [&](const auto&... pieces) { call.key(pieces...); });
}

void KeyNames::add_channel(Invocation& call) const {
  spell(Part::channel, {}, [&](const auto&... pieces) { call.arg(pieces...); });
}

std::string KeyNames::text(Part part, std::string_view owner) const {
  return spell(part, owner, [](const auto&... pieces) {
    std::string text;
    (text.append(pieces), ...);
    return text;
  });
}

std::string KeyNames::record_prefix() const { return text(Part::record); }

std::string KeyNames::timeout_prefix() const {
  std::string prefix(braced_ ? "" : "{");
  return prefix.append(name_).append(braced_ ? ":" : "}:");
}

std::optional<Slot> KeyNames::slot() const {
  const Slot slot = slot_of(text(Part::lock));
  for (const Part part : {Part::record, Part::channel}) {
    if (slot_of(text(part)) != slot) return std::nullopt;
  }
  return slot;
}

}  // namespace holdfast::redis

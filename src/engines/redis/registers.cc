// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/registers.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/common_failures.h"
#include "engines/redis/errors.h"

namespace holdfast::redis {
namespace {

using engine::Exchanged;
using engine::Ticket;
using engine::Value;

// A plain number has no version, so the version is made from the number itself.
std::uint64_t version_of(std::int64_t number) noexcept {
  const auto bits = static_cast<std::uint64_t>(number);
  return std::max<std::uint64_t>((bits << 1 ^ (number < 0 ? ~0ULL : 0)) + 1, 1);
}

}  // namespace

Part Registers::register_key() const noexcept {
  const bool beside_claims =
      layout_.register_format == RegisterFormat::own && layout_.attempt.script;
  return beside_claims ? Part::token : Part::lock;
}

// The text is empty if the register is absent. Otherwise it is "number" or, in layouts
// with versions, "number version".
Value Registers::value_of(std::string_view text) const noexcept {
  Value value;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value.number);
  if (error != std::errc{}) return {};
  if (layout_.register_format == RegisterFormat::own) {
    if (rest != end) std::from_chars(rest + 1, end, value.version);
  } else {
    value.version = version_of(value.number);
  }
  return value;
}

std::string Registers::text_of(const Value& value) const {
  if (value.version == 0) return {};
  std::string text = std::to_string(value.number);
  if (layout_.register_format != RegisterFormat::own) return text;
  if (value.version == engine::kAnyVersion) return text + " *";
  return text + " " + std::to_string(value.version);
}

Result<Value> Registers::load(engine::Deadline until) {
  const std::string key = names_.text(register_key());
  if (layout_.register_format == RegisterFormat::capacity) {
    Invocation call(scripts::permits_load);
    call.key(key);
    names_.add_key(call, Part::permit_timeouts, {});
    const auto reply = run(call, until);
    if (!reply) return reply.error();
    return value_of(reply->view().text());
  }
  if (layout_.register_format == RegisterFormat::none) return Errc::unsupported;

  std::string out;
  if (layout_.register_format == RegisterFormat::own) {
    Command(out, 4).add("HMGET").add(key).add("n").add("v");
  } else {
    Command(out, 2).add("GET").add(key);
  }
  const auto reply =
      backend_.checked(slot_, backend_.servers().call(slot_, out, until));
  if (!reply) return explain_wrong_kind(reply.error(), name_);
  const ReplyView value = reply->view();
  if (layout_.register_format != RegisterFormat::own) return read_number(value.text());
  return value_of(std::string(value[0].text()) + " " + std::string(value[1].text()));
}

// Another program may have written the key: a string that is not a number is another
// kind of thing.
Result<Value> Registers::read_number(std::string_view text) const {
  const Value value = value_of(text);
  if (!text.empty() && value.version == 0) {
    return explain_wrong_kind(Errc::wrong_kind, name_);
  }
  return value;
}

Result<Reply> Registers::run(const Invocation& call, engine::Deadline until) {
  auto reply = backend_.run(slot_, call, until);
  if (!reply) return explain_wrong_kind(std::move(reply).error(), name_);
  return reply;
}

Result<Reply> Registers::change(const Script& script, Ticket ticket,
                                const std::vector<std::string>& args,
                                engine::Deadline until) {
  const OwnerName owner = backend_.owner(ticket);
  Invocation call(script);
  names_.add_key(call, register_key(), owner);
  names_.add_key(call, Part::record, owner);
  if (layout_.register_format == RegisterFormat::capacity) {
    names_.add_key(call, Part::queue, owner);
    names_.add_key(call, Part::permit_timeouts, owner);
    // Such a call is not run while the slot is on its way to another server.
    if (backend_.options().is_cluster()) names_.add_key(call, Part::no_key, {});
  }
  call.arg(ticket == Ticket::none ? "0" : "1");
  for (const std::string& arg : args) call.arg(arg);
  backend_.add_channels(call, names_, slot_);
  return run(call, until);
}

Result<Value> Registers::add(std::int64_t by, Ticket ticket, engine::Deadline until) {
  const std::string amount = std::to_string(by);
  Result<Reply> reply = Errc::unsupported;
  switch (layout_.register_format) {
    case RegisterFormat::none:
    case RegisterFormat::capacity:
      return Errc::unsupported;
    case RegisterFormat::own:
      reply = change(scripts::register_add, ticket, {amount}, until);
      break;
    case RegisterFormat::number:
    case RegisterFormat::latch:
      reply =
          change(scripts::value_add, ticket,
                 {amount, layout_.register_format == RegisterFormat::latch ? "1" : "0"},
                 until);
      break;
  }
  if (reply) return value_of(reply->view()[1].text());
  if (reply.error().code != Errc::bad_argument) return std::move(reply).error();
  return base::number_does_not_fit(base::in_quotes(name_));
}

Result<Exchanged> Registers::exchange(const Value& from, std::optional<std::int64_t> to,
                                      Ticket ticket, engine::Deadline until) {
  const std::string wanted = to ? std::to_string(*to) : std::string();
  Result<Reply> reply = Errc::unsupported;
  switch (layout_.register_format) {
    case RegisterFormat::none:
      return Errc::unsupported;
    case RegisterFormat::capacity:
      if (to && *to < 0) {
        return Failure(Errc::bad_argument, "the permits of " + base::in_quotes(name_) +
                                               " cannot be fewer than none: set zero "
                                               "or more");
      }
      reply = change(scripts::permits_exchange, ticket,
                     {text_of(from), wanted, names_.record_prefix()}, until);
      break;
    case RegisterFormat::own:
      reply =
          change(scripts::register_exchange, ticket, {text_of(from), wanted}, until);
      break;
    case RegisterFormat::number:
    case RegisterFormat::latch:
      reply = change(scripts::value_exchange, ticket,
                     {text_of(from), wanted,
                      layout_.register_format == RegisterFormat::latch ? "1" : "0"},
                     until);
      break;
  }
  if (!reply) return std::move(reply).error();
  const ReplyView answer = reply->view();
  return Exchanged{answer[0].number() == 1, value_of(answer[1].text())};
}

}  // namespace holdfast::redis

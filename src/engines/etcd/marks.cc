#include "engines/etcd/marks.h"

#include <charconv>

#include "engines/etcd/keys.h"

namespace holdfast::etcd {
namespace {

std::string ticket_text(engine::Ticket ticket) {
  return hex(static_cast<std::uint64_t>(ticket));
}

}  // namespace

std::string Marks::key_of(const Mark& mark) const {
  return prefix_ + hex(static_cast<std::uint64_t>(mark.lease)) + "-" +
         std::to_string(mark.number);
}

std::string Marks::text_of(const Mark& mark, std::optional<std::int64_t> number) {
  std::string text = ticket_text(mark.ticket);
  if (number) text += " " + std::to_string(*number);
  return text;
}

// The mark and the register were written by one transaction: its revision is the
// version of both.
std::optional<engine::Value> Marks::read(const Mark& mark, const wire::KeyValue* kv) {
  const std::string ticket = ticket_text(mark.ticket);
  if (kv == nullptr || !kv->value().starts_with(ticket)) return std::nullopt;
  const std::string_view rest = std::string_view(kv->value()).substr(ticket.size());
  if (rest.empty()) return engine::Value{};
  if (rest.front() != ' ') return std::nullopt;
  engine::Value value;
  std::from_chars(rest.data() + 1, rest.data() + rest.size(), value.number);
  value.version = static_cast<std::uint64_t>(kv->mod_revision());
  return value;
}

}  // namespace holdfast::etcd

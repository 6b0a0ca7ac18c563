#include "engines/zookeeper/marks.h"

#include <charconv>

namespace holdfast::zookeeper {
namespace {

std::string ticket_text(engine::Ticket ticket) {
  return std::to_string(static_cast<std::uint64_t>(ticket));
}

}  // namespace

// No name is spelt with a bare percent sign.
Marks::Marks(const std::string& root, const std::string& client)
    : prefix_(root + "/%marks/" + client + "-") {}

Op Marks::write(const Mark& mark, std::int64_t session,
                std::optional<std::int64_t> number) const {
  std::string text = ticket_text(mark.ticket);
  if (number) text += " " + std::to_string(*number);
  const bool there = mark.session == session;
  return {.what = there ? Op::What::set : Op::What::create,
          .path = path_of(mark),
          .data = std::move(text),
          .node = Node::ephemeral};
}

// The mark and the register were written by one transaction: its number is the version
// of both.
std::optional<engine::Value> Marks::read(const Mark& mark, const Answer& node) {
  const std::string ticket = ticket_text(mark.ticket);
  if (!node.ok() || !node.text.starts_with(ticket)) return std::nullopt;
  const std::string_view rest = std::string_view(node.text).substr(ticket.size());
  if (rest.empty()) return engine::Value{};
  if (rest.front() != ' ') return std::nullopt;
  engine::Value value;
  std::from_chars(rest.data() + 1, rest.data() + rest.size(), value.number);
  value.version = static_cast<std::uint64_t>(node.stat.mzxid);
  return value;
}

}  // namespace holdfast::zookeeper

// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/receipts.h"

#include "engines/kit/receipt_text.h"

namespace holdfast::zookeeper {
namespace {

std::string ticket_text(engine::Ticket ticket) {
  return std::to_string(static_cast<std::uint64_t>(ticket));
}

}  // namespace

// No name is spelt with a bare percent sign, so no name becomes this path.
Receipts::Receipts(const std::string& root, const std::string& client)
    : prefix_(root + "/%marks/" + client + "-") {}

Op Receipts::write(const Receipt& receipt, std::int64_t session,
                   std::optional<std::int64_t> number) const {
  const bool there = receipt.session == session;
  return {.type = there ? Op::Type::set : Op::Type::create,
          .path = path_of(receipt),
          .data = kit::receipt_text(ticket_text(receipt.ticket), number),
          .node = Node::ephemeral};
}

std::optional<engine::Value> Receipts::read(const Receipt& receipt,
                                            const Answer& node) {
  if (!node.ok()) return std::nullopt;
  return kit::read_receipt_text(node.text, ticket_text(receipt.ticket),
                                static_cast<std::uint64_t>(node.stat.mzxid));
}

}  // namespace holdfast::zookeeper

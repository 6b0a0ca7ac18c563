// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/receipts.h"

#include "engines/etcd/names.h"
#include "engines/kit/receipt_text.h"

namespace holdfast::etcd {
namespace {

std::string ticket_text(engine::Ticket ticket) {
  return hex(static_cast<std::uint64_t>(ticket));
}

}  // namespace

std::string Receipts::key_of(const Receipt& receipt) const {
  return prefix_ + hex(static_cast<std::uint64_t>(receipt.lease)) + "-" +
         std::to_string(receipt.number);
}

std::string Receipts::text_of(const Receipt& receipt,
                              std::optional<std::int64_t> number) {
  return kit::receipt_text(ticket_text(receipt.ticket), number);
}

void Receipts::learn(Receipt& receipt, const wire::KeyValue* kv) {
  receipt.in_doubt = false;
  receipt.revision = kv != nullptr ? kv->mod_revision() : 0;
  if (kv == nullptr) return;
  const auto value =
      kit::read_receipt_text(kv->value(), ticket_text(receipt.ticket),
                             static_cast<std::uint64_t>(kv->mod_revision()));
  if (value) receipt.known = engine::Exchanged{true, *value};
}

}  // namespace holdfast::etcd

// SPDX-License-Identifier: Apache-2.0

// engines/etcd/receipts.h - the receipts of changes to registers, as keys.
//
// A receipt is a key that only this session writes, in the same transaction as the
// register's. The transaction requires the receipt as it was last seen, so a request
// that arrives late changes nothing. See engines/kit/change_receipt.h.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engines/etcd/transport/txn.h"
#include "engines/kit/change_receipt.h"
#include "engines/kit/receipt_pool.h"

namespace holdfast::etcd {

struct Receipt : kit::ChangeReceipt {
  using ChangeReceipt::ChangeReceipt;

  std::int64_t lease = 0;     // the etcd lease of the key
  std::int64_t revision = 0;  // of the key's last change, as far as it is known
};

// The class is safe for concurrent use.
class Receipts : public kit::ReceiptPool<Receipt> {
 public:
  explicit Receipts(const std::string& root) : prefix_(root + "%marks/") {}

  std::string key_of(const Receipt& receipt) const;

  // `number` is the value of the register after the change; nullopt: it is erased.
  static std::string text_of(const Receipt& receipt,
                             std::optional<std::int64_t> number);

  // Notes in the receipt what the key says about the ticket's change, and its revision.
  static void learn(Receipt& receipt, const wire::KeyValue* kv);

 private:
  const std::string prefix_;
};

}  // namespace holdfast::etcd

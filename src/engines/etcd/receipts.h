// engines/etcd/receipts.h - the receipts of changes to registers, as keys.
//
// A receipt is a key that only this session writes, in one transaction with the
// register's. The transaction wants the receipt as it was seen, so a request that
// arrives late comes to nothing. See engines/kit/change_receipt.h.

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

  std::int64_t lease = 0;     // under which the key is written
  std::int64_t revision = 0;  // of the key's last change, as far as known
};

// Safe for concurrent use.
class Receipts : public kit::ReceiptPool<Receipt> {
 public:
  explicit Receipts(const std::string& root) : prefix_(root + "%marks/") {}

  std::string key_of(const Receipt& receipt) const;

  // `number`: what the register then holds, if anything.
  static std::string text_of(const Receipt& receipt,
                             std::optional<std::int64_t> number);

  // Takes in what the key says: of the ticket's change, and its revision.
  static void learn(Receipt& receipt, const wire::KeyValue* kv);

 private:
  const std::string prefix_;
};

}  // namespace holdfast::etcd

// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/receipts.h - the receipts of changes to registers, as nodes.
//
// A receipt is a small ephemeral node that only this session writes, in the same
// transaction as the register's. See engines/kit/change_receipt.h.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engines/kit/change_receipt.h"
#include "engines/kit/receipt_pool.h"
#include "engines/zookeeper/transport/batch.h"
#include "holdfast/engine/claim.h"

namespace holdfast::zookeeper {

struct Receipt : kit::ChangeReceipt {
  using ChangeReceipt::ChangeReceipt;

  std::int64_t session = 0;  // in which the node exists; zero means in none yet
  std::int64_t sent_in = 0;  // the session of the last request that wrote it
};

// The class is safe for concurrent use.
class Receipts : public kit::ReceiptPool<Receipt> {
 public:
  Receipts(const std::string& root, const std::string& client);

  std::string path_of(const Receipt& receipt) const {
    return prefix_ + std::to_string(receipt.number);
  }

  // Returns the operation that writes the receipt. `number` is the value of the
  // register after the change, or nullopt if it is erased.
  Op write(const Receipt& receipt, std::int64_t session,
           std::optional<std::int64_t> number) const;

  // Reads from the node's content what the register was after the change of the
  // receipt's ticket. Returns nullopt if the node does not speak of that change.
  static std::optional<engine::Value> read(const Receipt& receipt, const Answer& node);

 private:
  const std::string prefix_;
};

}  // namespace holdfast::zookeeper

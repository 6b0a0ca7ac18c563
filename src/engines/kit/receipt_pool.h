// SPDX-License-Identifier: Apache-2.0

// engines/kit/receipt_pool.h - the receipts of one client, used again and again, so
// that the server keeps a few records and not one for each change.

#pragma once

#include <algorithm>
#include <cstdint>
#include <list>

#include "base/mutex.h"
#include "holdfast/engine/claim.h"

namespace holdfast::kit {

// `Receipt` is a ChangeReceipt. Safe for concurrent use.
template <class Receipt>
class ReceiptPool {
 public:
  // The receipt of this ticket, or else a free one. Give it back when the call is over.
  Receipt& take(engine::Ticket ticket) {
    base::MutexLock lock(mutex_);
    auto found = find([&](const Receipt& each) { return each.ticket == ticket; });
    if (found == receipts_.end() && receipts_.size() >= kFewest) {
      const bool many = receipts_.size() >= kMost;
      found = find([&](const Receipt& each) { return many || each.settled(); });
    }
    if (found == receipts_.end()) {
      found = receipts_.insert(receipts_.end(), Receipt(made_++));
    }
    receipts_.splice(receipts_.end(), receipts_, found);
    if (found->ticket != ticket) found->begin(ticket);
    found->busy = true;
    return *found;
  }

  void give_back(Receipt& receipt) {
    base::MutexLock lock(mutex_);
    receipt.busy = false;
  }

 private:
  // With a few of them, an outcome is remembered for a while. The upper limit is for a
  // client whose changes often end in doubt and are never repeated: it gives up the
  // oldest.
  static constexpr std::size_t kFewest = 4;
  static constexpr std::size_t kMost = 1024;

  template <class Fits>
  auto find(Fits fits) HOLDFAST_REQUIRES(mutex_) {
    return std::find_if(receipts_.begin(), receipts_.end(),
                        [&](const Receipt& each) { return !each.busy && fits(each); });
  }

  base::Mutex mutex_;
  std::list<Receipt> receipts_
      HOLDFAST_GUARDED_BY(mutex_);  // least recently used first
  std::uint64_t made_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast::kit

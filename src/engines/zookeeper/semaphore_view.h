// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/semaphore_view.h - the capacity of a semaphore and the leases that
// are taken.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/zookeeper/queue.h"

namespace holdfast::zookeeper {

// Both are read in the batch that reads the queue. A view belongs to one call.
class SemaphoreView final : public BatchExtension {
 public:
  SemaphoreView(Backend& backend, std::string leases, std::string permits);

  // Sets watches with the next read: every waiter watches the capacity; the first of
  // the queue also watches the list of leases.
  enum class What : bool { permits, both };
  std::shared_ptr<WatchSet> watch(What what, const engine::Waker& waker);

  void add_requests(Batch& batch) override;
  void read_answers(const Batch& batch) override;
  void not_sent() override { is_read_ = false; }

  // Reads them without the queue. Returns false if the claim's node in the queue was
  // deleted.
  Result<bool> fetch(const ClaimState& state, engine::Deadline until);

  bool is_read() const noexcept { return is_read_; }
  const std::vector<std::string>& taken() const noexcept {
    return leases_answer_.names;
  }
  const Answer& permits() const noexcept { return permits_answer_; }

 private:
  Backend& backend_;
  const WatchTarget leases_;
  const WatchTarget permits_;
  bool watch_permits_ = false;
  bool watch_leases_ = false;
  std::size_t leases_index_ = 0;
  std::size_t permits_index_ = 0;
  bool is_read_ = false;
  Answer leases_answer_;
  Answer permits_answer_;
};

}  // namespace holdfast::zookeeper

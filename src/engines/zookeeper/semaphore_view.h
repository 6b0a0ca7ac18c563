// engines/zookeeper/semaphore_view.h - what of a semaphore is taken, and how much there
// is.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/zookeeper/queue.h"

namespace holdfast::zookeeper {

// Asked for on the way to the line. Belongs to one call.
class SemaphoreView final : public BatchExtension {
 public:
  SemaphoreView(Backend& backend, std::string leases, std::string permits);

  // From now on, what is asked for is watched: by those who wait in line how much there
  // is, by the first of them also what is taken.
  enum class What : bool { permits, both };
  std::shared_ptr<WatchSet> watch(What what, const engine::Waker& waker);

  void add_requests(Batch& batch) override;
  void read_answers(const Batch& batch) override;
  void not_sent() override { is_read_ = false; }

  // Without the line. False: the place in it is gone.
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

// engines/zookeeper/stock.h - what of a semaphore is taken, and how much there is.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/zookeeper/queue.h"

namespace holdfast::zookeeper {

// Asked for on the way to the line. Belongs to one call.
class Stock final : public Rider {
 public:
  Stock(Backend& backend, std::string leases, std::string permits);

  // From now on, what is asked for is watched: by those who wait in line how much there
  // is, by the first of them also what is taken.
  enum class What : bool { permits, both };
  std::shared_ptr<Lookout> listen(What what, const engine::Waker& waker);

  void board(Batch& batch) override;
  void arrive(const Batch& batch) override;
  void stay() override { arrived_ = false; }

  // Without the line. False: the place in it is gone.
  Result<bool> fetch(const Place& place, engine::Deadline until);

  bool arrived() const noexcept { return arrived_; }
  const std::vector<std::string>& taken() const noexcept { return taken_.names; }
  const Answer& permits() const noexcept { return found_; }

 private:
  Backend& backend_;
  const Spot leases_;
  const Spot permits_;
  bool watch_permits_ = false;
  bool watch_leases_ = false;
  std::size_t taken_at_ = 0;
  std::size_t permits_at_ = 0;
  bool arrived_ = false;
  Answer taken_;
  Answer found_;
};

}  // namespace holdfast::zookeeper

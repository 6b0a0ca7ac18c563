#include "engines/zookeeper/stock.h"

#include <utility>

namespace holdfast::zookeeper {

Stock::Stock(Backend& backend, std::string leases, std::string permits)
    : backend_(backend),
      leases_{std::move(leases), Change::children},
      permits_{std::move(permits)} {}

std::shared_ptr<Lookout> Stock::listen(What what, const engine::Waker& waker) {
  watch_permits_ = true;
  watch_leases_ = what == What::both;
  std::vector<Spot> spots{permits_};
  if (watch_leases_) spots.push_back(leases_);
  return Lookout::make(backend_.ears(), std::move(spots), waker);
}

void Stock::board(Batch& batch) {
  if (watch_permits_) batch.exists(permits_.path, Ears::key(permits_));
  taken_at_ = batch.children(leases_.path, watch_leases_ ? Ears::key(leases_) : 0);
  permits_at_ = batch.get(permits_.path);
}

void Stock::arrive(const Batch& batch) {
  arrived_ = true;
  taken_ = batch[taken_at_];
  found_ = batch[permits_at_];
}

Result<bool> Stock::fetch(const Place& place, engine::Deadline until) {
  auto handle = backend_.link().handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*std::move(handle));
  const auto own = batch.exists(place.node);
  board(batch);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  arrive(batch);
  return batch[own].ok() && batch[own].stat.ephemeralOwner == place.session;
}

}  // namespace holdfast::zookeeper

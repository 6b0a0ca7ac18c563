#include "engines/zookeeper/renewal.h"

#include <utility>
#include <vector>

#include "engines/zookeeper/resource.h"

namespace holdfast::zookeeper {
namespace {

Places& places_of(const engine::Stake& stake) {
  return static_cast<ZookeeperResource*>(stake.resource)->places();
}

// A stake whose nodes are looked at, from `first` on in the batch.
struct Look {
  engine::Stake* stake;
  std::size_t first;
  std::size_t count;
  std::shared_ptr<Lookout> own;
};

bool is_watched(const Standing& standing) noexcept {
  return standing.own != nullptr && standing.own->quiet();
}

Look look_at(Backend& backend, Batch& batch, engine::Stake& stake,
             const Standing& standing) {
  std::vector<Spot> spots;
  for (const std::string& node : standing.nodes) spots.push_back({node});
  Look look{&stake, 0, spots.size(), nullptr};
  look.own = Lookout::make(backend.ears(), spots, backend.alarm());
  for (std::size_t i = 0; i < spots.size(); ++i) {
    const auto at = batch.exists(spots[i].path, Ears::key(spots[i]));
    if (i == 0) look.first = at;
  }
  return look;
}

}  // namespace

Result<void> renew_all(Backend& backend, std::span<engine::Stake> stakes,
                       engine::Deadline until) {
  const auto asked = Clock::now();
  auto handle = backend.link().handle(until);
  if (!handle) return std::move(handle).error();
  const std::int64_t session = (*handle)->id();
  Batch batch(*std::move(handle));
  batch.all({{Op::What::check, "/"}});
  std::vector<Look> looks;
  for (engine::Stake& stake : stakes) {
    stake.outcome = {};
    const auto standing = places_of(stake).standing(stake.claim->ticket);
    if (!standing || standing->under != session || standing->nodes.empty()) {
      stake.outcome = make_error_code(Errc::not_held);
    } else if (!is_watched(*standing)) {
      looks.push_back(look_at(backend, batch, stake, *standing));
    }
  }
  if (auto done = batch.wait_to_read(until); !done) return std::move(done).error();
  for (Look& look : looks) {
    for (std::size_t i = 0; i < look.count; ++i) {
      const Answer& node = batch[look.first + i];
      if (!node.ok() || node.stat.ephemeralOwner != session) {
        look.stake->outcome = make_error_code(Errc::not_held);
      }
    }
    places_of(*look.stake).listened_to(look.stake->claim->ticket, std::move(look.own));
  }
  for (engine::Stake& stake : stakes) {
    stake.granted.lease =
        Backend::lease_from(batch.handle(), asked, stake.claim->lease);
  }
  return {};
}

}  // namespace holdfast::zookeeper

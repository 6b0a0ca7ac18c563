#include "engines/zookeeper/renewal.h"

#include <optional>
#include <utility>
#include <vector>

#include "engines/zookeeper/resource.h"

namespace holdfast::zookeeper {
namespace {

ZookeeperResource& resource_of(const engine::ClaimRef& ref) {
  return *static_cast<ZookeeperResource*>(ref.resource);
}

// A claim whose nodes are looked at, from `first` on in the batch.
struct Look {
  engine::ClaimRef* ref;
  Standing standing;
  std::size_t first;
  std::shared_ptr<Lookout> own;
};

bool is_watched(const Standing& standing) noexcept {
  return standing.own != nullptr && standing.own->quiet();
}

Look look_at(Backend& backend, Batch& batch, engine::ClaimRef& ref, Standing standing) {
  std::vector<Spot> spots;
  for (const std::string& node : standing.nodes) spots.push_back({node});
  Look look{&ref, std::move(standing), 0, nullptr};
  look.own = Lookout::make(backend.ears(), spots, backend.alarm());
  for (std::size_t i = 0; i < spots.size(); ++i) {
    const auto at = batch.exists(spots[i].path, Ears::key(spots[i]));
    if (i == 0) look.first = at;
  }
  return look;
}

void judge(Look& look, const Batch& batch) {
  ZookeeperResource& resource = resource_of(*look.ref);
  const engine::Ticket ticket = look.ref->claim->ticket;
  for (std::size_t i = 0; i < look.standing.nodes.size(); ++i) {
    const Answer& node = batch[look.first + i];
    if (node.ok() && node.stat.ephemeralOwner == batch.session()) continue;
    const bool missing = node.code == ZNONODE;
    look.ref->outcome =
        make_error_code(missing || node.ok() ? Errc::not_held : Errc::unavailable);
    if (missing) resource.lose(ticket, look.standing);
    return;
  }
  resource.places().update_held(
      ticket, [&](Standing& standing) { standing.own.swap(look.own); });
}

bool has_nodes(const std::optional<Standing>& standing) {
  return standing && !standing->nodes.empty();
}

// A session that is over takes its claims with it. That is said at once: until there is
// another session much time may pass. True: nothing more is to be asked.
bool settle_ended(Backend& backend, std::span<engine::ClaimRef> refs) {
  bool all = !refs.empty();
  for (engine::ClaimRef& ref : refs) {
    const auto standing = resource_of(ref).places().held(ref.claim->ticket);
    const bool held = has_nodes(standing) && !backend.link().has_ended(standing->under);
    ref.outcome = held ? std::error_code() : make_error_code(Errc::not_held);
    all = all && !held;
  }
  return all;
}

}  // namespace

Result<void> renew_all(Backend& backend, std::span<engine::ClaimRef> refs,
                       engine::Deadline until) {
  const auto asked = Clock::now();
  if (settle_ended(backend, refs)) return {};
  auto handle = backend.link().handle(until);
  if (!handle) return std::move(handle).error();
  const std::int64_t session = (*handle)->id();
  Batch batch(*std::move(handle));
  batch.all({{Op::What::check, "/"}});
  std::vector<Look> looks;
  for (engine::ClaimRef& ref : refs) {
    auto standing = resource_of(ref).places().held(ref.claim->ticket);
    if (!has_nodes(standing) || standing->under != session) {
      ref.outcome = make_error_code(Errc::not_held);
    } else if (!is_watched(*standing)) {
      looks.push_back(look_at(backend, batch, ref, *std::move(standing)));
    }
  }
  if (auto done = batch.wait_to_read(until); !done) return std::move(done).error();
  for (Look& look : looks) judge(look, batch);
  for (engine::ClaimRef& ref : refs) {
    ref.granted.lease = Backend::lease_from(batch.handle(), asked, ref.claim->lease);
  }
  return {};
}

}  // namespace holdfast::zookeeper

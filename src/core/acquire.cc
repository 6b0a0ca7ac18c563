#include "core/acquire.h"

#include <utility>

#include "core/acquirer.h"
#include "core/explain.h"
#include "core/hub.h"

namespace holdfast::core {

Result<Grant> acquire(const BoundPtr& bound, const Want& want) {
  Hub& hub = bound->hub();
  if (!hub.usable()) return hub.why_unusable();
  const auto terms =
      terms_for(want.lease, hub.ttl(), bound->leased(), bound->sessional());
  if (!terms) return terms.error();

  Metrics* const metrics = hub.metrics();
  const auto start = metrics != nullptr ? Clock::now() : Clock::time_point{};
  auto grant = Acquirer(bound, want, *terms).acquire();
  if (!grant && want.explain && grant.error().code == Errc::timed_out) {
    grant = Failure(Errc::timed_out, explain_timeout(*bound, want.wait));
  }
  if (metrics != nullptr) {
    if (grant) {
      metrics->acquired(bound->name(), Clock::now() - start);
    } else {
      metrics->not_acquired(bound->name(), grant.error().code);
    }
  }
  return grant;
}

Result<void> give_up(const BoundPtr& bound, const engine::Claim& claim,
                     Confirm confirm) noexcept {
  Hub& hub = bound->hub();
  const bool awaited = confirm == Confirm::yes || !bound->in_order();
  auto dropped = bound->resource().drop(
      claim, awaited ? bound->call_deadline() : engine::Deadline::min());
  if (!dropped && base::is_transient(dropped.error()))
    hub.keeper().doom({bound, claim});
  return dropped;
}

}  // namespace holdfast::core

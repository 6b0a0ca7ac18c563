#include <utility>

#include "core/gate.h"
#include "core/hub.h"

namespace holdfast::core {
namespace {

// What may have to wait for an engine that does not answer.
constexpr std::chrono::nanoseconds kLongestFarewell = std::chrono::seconds(2);

}  // namespace

std::shared_ptr<Companion> Hub::join(
    const Bound& bound, const std::function<std::shared_ptr<Companion>()>& make) {
  base::MutexLock lock(mutex_);
  auto& companion = companions_[&bound];
  if (companion == nullptr) companion = make();
  return companion;
}

void Hub::part(std::shared_ptr<Companion> companion, const Bound& bound) noexcept {
  if (forked()) return;
  const auto last = std::move(companion);  // not destroyed under the mutex
  base::MutexLock lock(mutex_);
  const auto found = companions_.find(&bound);
  // Two references: the map's and ours.
  if (found != companions_.end() && last.use_count() == 2 && last->idle()) {
    companions_.erase(found);
  }
}

void Hub::close() noexcept {
  if (forked()) return;
  base::MutexLock one_at_a_time(closing_);
  if (closed_.exchange(true)) return;
  {
    base::MutexLock lock(mutex_);
    bounds_.each([](const Bound& bound) {
      if (bound.gate() != nullptr) bound.gate()->close();
    });
  }
  signals_.ring_all();
  lookout_.stop();

  auto claims = holdings_.revoke_all();
  for (BoundClaim& doomed : keeper_.stop()) claims.push_back(std::move(doomed));
  const auto until = Clock::now() + kLongestFarewell;
  for (const BoundClaim& each : claims) {
    (void)each.bound->resource().drop(each.claim, until);
  }
  notifier_.stop();
}

}  // namespace holdfast::core

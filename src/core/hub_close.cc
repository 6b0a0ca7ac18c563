#include <utility>

#include "base/transient.h"
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

void Hub::close(Farewell farewell) noexcept {
  if (forked()) return;
  if (closed_.exchange(true)) return await_close();
  {
    base::MutexLock lock(mutex_);
    bounds_.each([](const Bound& bound) {
      if (bound.gate() != nullptr) bound.gate()->close();
    });
  }
  signals_.ring_all();

  auto claims = holdings_.revoke_all();
  for (BoundClaim& pending : keeper_.close()) claims.push_back(std::move(pending));
  for (BoundClaim& left : drop_all(std::move(claims))) {
    if (farewell == Farewell::first) keeper_.doom(std::move(left));
  }
  lookout_.stop();
  keeper_.rest();
  notifier_.stop();

  base::MutexLock lock(mutex_);
  shut_ = true;
  closing_.notify_all();
}

// A callback does not wait for the thread that closes, which waits for the callback.
void Hub::await_close() noexcept {
  if (notifier_.inside()) return;
  base::MutexLock lock(mutex_);
  while (!shut_) closing_.wait(lock);
}

// What could not be dropped is given back.
std::vector<BoundClaim> Hub::drop_all(std::vector<BoundClaim> claims) noexcept {
  const auto until = Clock::now() + kLongestFarewell;
  std::erase_if(claims, [&](const BoundClaim& each) {
    const auto dropped = each.bound->resource().drop(each.claim, until);
    return dropped || !base::is_transient(dropped.error());
  });
  return claims;
}

}  // namespace holdfast::core

#include <utility>

#include "core/hub.h"
#include "core/seat.h"

namespace holdfast::core {

Seat::Extras& Seat::extras() const {
  Extras* known = extras_.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto made = std::make_unique<Extras>();
  if (extras_.compare_exchange_strong(known, made.get())) return *made.release();
  return *known;
}

bool Seat::grip_intact() const noexcept {
  Extras& more = extras();
  base::MutexLock lock(more.mutex);
  return more.grip != nullptr && more.grip->valid_for().count() > 0;
}

void Seat::settle_grip(std::shared_ptr<Grip> grip) noexcept {
  Extras& more = extras();
  Word before = 0;
  {
    base::MutexLock lock(more.mutex);
    before = word_.load();
    while (!word_.compare_exchange_weak(before, succeed(before, kGripTicket))) {
    }
    std::swap(more.grip, grip);
  }
  if (occupied(before) && !is_grip(before)) (void)give_up_light(before);
}

// What was there before, unless it was the grip.
Seat::Word Seat::settle_over_grip(Word ticket) noexcept {
  Extras& more = extras();
  std::shared_ptr<Grip> displaced;
  base::MutexLock lock(more.mutex);
  Word before = word_.load();
  while (!word_.compare_exchange_weak(before, succeed(before, ticket))) {
  }
  std::swap(more.grip, displaced);
  return is_grip(before) ? 0 : before;
}

Result<void> Seat::give_up_grip(Confirm confirm) noexcept {
  Extras& more = extras();
  std::shared_ptr<Grip> grip;
  {
    base::MutexLock lock(more.mutex);
    const Word word = word_.load();
    if (!is_grip(word)) {  // displaced a moment ago
      lock.unlock();
      auto again = give_up(confirm);
      lock.lock();
      return again;
    }
    if ((word & kDisplaced) != 0) {
      word_.store(word - kOneDisplaced);
      return {};
    }
    word_.store(0);
    std::swap(more.grip, grip);
  }
  return grip->release(confirm);
}

FencingToken Seat::token() const noexcept {
  if (hub().forked()) return {};
  const Word word = word_.load();
  if (!occupied(word)) return {};
  if (!is_grip(word)) return {token_.load(std::memory_order_relaxed)};
  Extras& more = extras();
  base::MutexLock lock(more.mutex);
  return more.grip != nullptr ? more.grip->token() : FencingToken{};
}

std::stop_token Seat::lost() const noexcept {
  if (hub().forked()) return already_lost();
  if (is_grip(word_.load())) {
    Extras& more = extras();
    base::MutexLock lock(more.mutex);
    if (more.grip != nullptr) return more.grip->lost();
  }
  const auto tenure = watch();
  return tenure != nullptr ? tenure->lost_token() : already_lost();
}

// The tenure of the present light hold, made on the first request.
std::shared_ptr<Tenure> Seat::watch() const {
  Extras& more = extras();
  base::MutexLock lock(more.mutex);
  for (;;) {
    Word word = word_.load();
    if (!occupied(word) || is_grip(word)) return nullptr;
    if ((word & kWatched) != 0) return more.tenure;
    if (more.tenure != nullptr) {  // of a hold that is just being given up
      if (hub().keeper().forget(*more.tenure))
        hub().notifier().post(more.tenure->who_asked());
      more.tenure = nullptr;
    }
    constexpr bool kAskedLate = true;
    Grant grant;
    grant.claim = claim_of(word);
    auto tenure = std::make_shared<Tenure>(bound_, grant.claim, grant.turn);
    hub().keeper().adopt(*tenure, grant, Terms{}, kAskedLate);
    if (word_.compare_exchange_strong(word, word | kWatched)) {
      more.tenure = std::move(tenure);
      return more.tenure;
    }
    hub().keeper().forget(*tenure);
  }
}

// Errc::not_held: the hold that was watched had been lost.
Result<void> Seat::end_watch(Word word) noexcept {
  Extras& more = extras();
  std::shared_ptr<Tenure> tenure;
  {
    base::MutexLock lock(more.mutex);
    if (more.tenure == nullptr ||
        more.tenure->claim().ticket != claim_of(word).ticket) {
      return {};
    }
    std::swap(tenure, more.tenure);
  }
  if (!hub().keeper().forget(*tenure)) return Errc::not_held;
  hub().notifier().post(tenure->who_asked());
  return {};
}

void Seat::revoke(std::vector<BoundClaim>& claims) noexcept {
  Word word = word_.load();
  do {
    if (!occupied(word) || is_grip(word)) return;  // a grip is revoked by itself
  } while (!word_.compare_exchange_weak(word, 0));
  claims.push_back({bound_, claim_of(word)});
}

}  // namespace holdfast::core

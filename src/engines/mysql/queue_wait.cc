#include <utility>

#include "engines/mysql/errors.h"
#include "engines/mysql/queue.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

using engine::Deadline;
using engine::Kind;
using engine::Mode;
using namespace std::chrono_literals;

// Whoever must leave before our turn can come, if that is one: the one before us, or
// the nearest writer before a reader. Permits may be returned by anybody.
const QueueResource::QueuedClaim* QueueResource::obstacle(
    const QueueSnapshot& queue) const noexcept {
  const Kind kind = row().kind();
  if (kind == Kind::semaphore || kind == Kind::double_barrier) return nullptr;
  const bool reads = queue.claims[queue.own].entry.mode == Mode::shared;
  const QueuedClaim* nearest = nullptr;
  for (std::size_t i = 0; i < queue.claims.size(); ++i) {
    const QueuedClaim& each = queue.claims[i];
    if (i == queue.own || (i > queue.own && !each.entry.granted)) continue;
    if (reads && each.entry.mode == Mode::shared) continue;
    nearest = &each;
  }
  return nearest;
}

// A bell that was free although its owner is still in line: the connection that had it
// has ended, and perhaps the client with it. A client that lives writes its place again
// within a few seconds, and keeps it; the place of a dead one ends soon. If the owner
// was let in, its time decides.
Result<bool> QueueResource::evict_dead_waiter(ClaimState& state,
                                              const QueuedClaim* ahead,
                                              Deadline until) {
  if (!std::exchange(state.rung, false)) return false;
  if (ahead == nullptr || ahead->id != state.ahead) return false;
  state.ignored = ahead->id;
  if (ahead->entry.granted) return false;
  Args args;
  args << std::int64_t{kLostBellLease.count()} << state.resource << ahead->id;
  auto evicted = backend().run(sql::kEvictDeadWaiter, args, until);
  if (!evicted) return Failure(Errc::unavailable, evicted.error().context);
  return true;
}

Result<bool> QueueResource::arm(ClaimState& state, const QueuedClaim* ahead,
                                const engine::Waker& waker, Deadline until) {
  const bool rings = ahead != nullptr && ahead->bell && ahead->id != state.ignored &&
                     backend().has_bells();
  if (state.wait != nullptr && (!rings || state.ahead != ahead->id)) {
    if (!state.wait->stop(until)) {
      return still_listening(row().name(), Errc::unavailable);
    }
    state.wait.reset();
  }
  if (rings && state.wait == nullptr) start_waiting(state, *ahead, waker);
  if (state.wait != nullptr) {
    state.watch.reset();
    return true;
  }
  if (state.watch != nullptr) return true;
  auto watch = backend().poller().watch(row().name(), waker, until);
  if (!watch) return Failure(Errc::unavailable, watch.error().context);
  state.watch = *std::move(watch);
  return false;
}

void QueueResource::start_waiting(ClaimState& state, const QueuedClaim& ahead,
                                  const engine::Waker& waker) {
  const auto hear = [bell = Backend::bell_of(ahead.owner)](BellWait& wait,
                                                           Pool::Lent& connection) {
    const auto heard =
        BellThreads::wait_for(wait, connection, bell, BellThreads::After::pass_on);
    if (!heard.has_value()) return wait.finish({.state = BellWait::State::failed});
    wait.finish({.state = *heard ? BellWait::State::rung : BellWait::State::waiting});
  };
  state.wait = backend().bell_threads().start(waker, hear);
  state.ahead = ahead.id;
}

void QueueResource::take_outcome(ClaimState& state) {
  const auto heard = state.wait->outcome().state;
  if (heard == BellWait::State::waiting) return;
  state.rung = heard == BellWait::State::rung;
  if (!state.rung && ++state.failures >= BellThreads::kTries)
    state.ignored = state.ahead;
  state.wait.reset();
}

// The listener may go on listening to one who never leaves: nobody waits for its end.
void QueueResource::wait_no_more(ClaimState& state) {
  if (state.wait != nullptr) (void)state.wait->stop(Clock::now());
  state.wait.reset();
  state.watch.reset();
}

// Also keeps the connection that has the bell.
Result<void> QueueResource::keep(ClaimState& state, Deadline until) {
  const auto now = Clock::now();
  if (now - state.kept < backend().beat() / 2) return {};
  Args args;
  args << std::int64_t{kWaiterLease.count()} << state.resource << state.id;
  auto kept = backend().run(sql::kRenewWaiter, args, until, state.bell);
  if (!kept) return Failure(Errc::unavailable, kept.error().context);
  state.kept = now;
  return {};
}

}  // namespace holdfast::mysql

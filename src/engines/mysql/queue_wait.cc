#include <utility>

#include "engines/mysql/queue.h"
#include "engines/mysql/sql.h"
#include "engines/mysql/status.h"

namespace holdfast::mysql {

using engine::Deadline;
using engine::Kind;
using engine::Mode;
using namespace std::chrono_literals;

// Whoever must leave before our turn can come, if that is one: the one before us, or
// the nearest writer before a reader. Permits may be returned by anybody.
const QueueResource::Member* QueueResource::obstacle(const Line& line) const noexcept {
  const Kind kind = row().kind();
  if (kind == Kind::semaphore || kind == Kind::double_barrier) return nullptr;
  const bool reads = line.members[line.own].place.mode == Mode::shared;
  const Member* nearest = nullptr;
  for (std::size_t i = 0; i < line.members.size(); ++i) {
    const Member& each = line.members[i];
    if (i == line.own || (i > line.own && !each.place.granted)) continue;
    if (reads && each.place.mode == Mode::shared) continue;
    nearest = &each;
  }
  return nearest;
}

// A bell that was free although its owner is still in line: the connection that had it
// has ended, and perhaps the client with it. A client that lives writes its place again
// within a few seconds, and keeps it; the place of a dead one ends soon. If the owner
// was let in, its time decides.
Result<bool> QueueResource::hurry(Place& place, const Member* ahead, Deadline until) {
  if (!std::exchange(place.rung, false)) return false;
  if (ahead == nullptr || ahead->id != place.ahead) return false;
  place.mute = ahead->id;
  if (ahead->place.granted) return false;
  Args args;
  args << std::int64_t{kLostBellLease.count()} << place.resource << ahead->id;
  auto hurried = backend().run(sql::kHurry, args, until);
  if (!hurried) return Failure(Errc::unavailable, hurried.error().context);
  return true;
}

Result<bool> QueueResource::arm(Place& place, const Member* ahead,
                                const engine::Waker& waker, Deadline until) {
  const bool rings = ahead != nullptr && ahead->bell && ahead->id != place.mute &&
                     backend().has_bells();
  if (place.wait != nullptr && (!rings || place.ahead != ahead->id)) {
    if (!place.wait->stop(until)) {
      return still_listening(row().name(), Errc::unavailable);
    }
    place.wait.reset();
  }
  if (rings && place.wait == nullptr) listen(place, *ahead, waker);
  if (place.wait != nullptr) {
    place.watch.reset();
    return true;
  }
  if (place.watch != nullptr) return true;
  auto watch = backend().poller().watch(row().name(), waker, until);
  if (!watch) return Failure(Errc::unavailable, watch.error().context);
  place.watch = *std::move(watch);
  return false;
}

void QueueResource::listen(Place& place, const Member& ahead,
                           const engine::Waker& waker) {
  const auto hear = [bell = Backend::bell_of(ahead.owner)](Wait& wait,
                                                           Pool::Lent& connection) {
    const auto heard =
        Listeners::hear(wait, connection, bell, Listeners::After::pass_on);
    if (!heard.has_value()) return wait.finish({.state = Wait::State::failed});
    wait.finish({.state = *heard ? Wait::State::rung : Wait::State::waiting});
  };
  place.wait = backend().listeners().start(waker, hear);
  place.ahead = ahead.id;
}

void QueueResource::hear(Place& place) {
  const auto heard = place.wait->heard().state;
  if (heard == Wait::State::waiting) return;
  place.rung = heard == Wait::State::rung;
  if (!place.rung && ++place.failures >= Listeners::kTries) place.mute = place.ahead;
  place.wait.reset();
}

// The listener may go on listening to one who never leaves: nobody waits for its end.
void QueueResource::wait_no_more(Place& place) {
  if (place.wait != nullptr) (void)place.wait->stop(Clock::now());
  place.wait.reset();
  place.watch.reset();
}

// Also keeps the connection that has the bell.
Result<void> QueueResource::keep(Place& place, Deadline until) {
  const auto now = Clock::now();
  if (now - place.kept < backend().beat() / 2) return {};
  Args args;
  args << std::int64_t{kPlaceLease.count()} << place.resource << place.id;
  auto kept = backend().run(sql::kKeepPlace, args, until, place.bell);
  if (!kept) return Failure(Errc::unavailable, kept.error().context);
  place.kept = now;
  return {};
}

}  // namespace holdfast::mysql

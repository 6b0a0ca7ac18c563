#include <algorithm>
#include <utility>

#include "base/pause.h"
#include "engines/mysql/lock.h"
#include "engines/mysql/sql.h"
#include "engines/mysql/status.h"

namespace holdfast::mysql {

using engine::Deadline;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::nanoseconds kLookFirst = 100ms;  // who waits longer is shown
constexpr std::chrono::nanoseconds kLookAgain = 2s;
constexpr std::chrono::nanoseconds kLookSoon = 200ms;  // when nobody will ring
constexpr std::chrono::microseconds kPlaceLease = 10s;

}  // namespace

// What the listener has to say.
void LockResource::hear(Place& place) {
  const Wait::Heard heard = place.wait->heard();
  switch (heard.state) {
    case Wait::State::waiting:
      return;
    case Wait::State::failed:
      place.deaf = ++place.failures >= Listeners::kTries;
      break;
    case Wait::State::rung:
      place.bell = heard.connection;
      break;
    case Wait::State::granted:
      place.bell = heard.connection;
      place.granted = true;
      place.token = heard.token;
      place.asked = heard.asked;
      break;
    case Wait::State::doubtful:
      place.doubtful = true;
      break;
  }
  place.wait.reset();
}

Result<void> LockResource::stop_waiting(Place& place, Deadline until) {
  if (place.wait == nullptr) return {};
  if (!place.wait->stop(until)) {
    return still_listening(row().name());
  }
  hear(place);
  place.wait.reset();
  return {};
}

Result<bool> LockResource::arm(Place& place, const engine::Waker& waker,
                               Deadline until) {
  if (place.bell != nullptr || place.wait != nullptr || place.watch != nullptr) {
    return true;
  }
  if (backend().has_bells() && !place.deaf) {
    listen(place, waker);
    if (place.wait != nullptr) return true;
    place.deaf = true;
  }
  auto watch = backend().poller().watch(row().name(), waker, until);
  if (!watch) return std::move(watch).error();
  place.watch = *std::move(watch);
  return false;
}

// On the listener's thread: once the bell is ours, the row is taken at once, while the
// thread that wants it is being woken.
void LockResource::listen(Place& place, const engine::Waker& waker) {
  const auto take = [bell = bell_of(place.taking), taking = place.taking](
                        Wait& wait, Pool::Lent& connection) {
    const auto heard = Listeners::hear(wait, connection, bell, Listeners::After::keep);
    if (!heard.has_value()) return wait.finish({.state = Wait::State::failed});
    if (!*heard) return wait.finish({});
    Args args;
    taking.add_to(args);
    const auto asked = Clock::now();
    const auto taken = connection->run(sql::kTakeSilently, args, asked + 5s);
    if (!taken) {
      const bool lost = taken.error().code == Errc::outcome_unknown;
      connection->cut();
      return wait.finish({.state = lost ? Wait::State::doubtful : Wait::State::failed});
    }
    ++connection->bells;
    wait.finish({.state = taken->matched > 0 ? Wait::State::granted : Wait::State::rung,
                 .connection = connection.share(),
                 .token = {taken->id},
                 .asked = asked});
  };
  place.wait = backend().listeners().start(waker, take);
}

// Who waits for more than a moment is shown to observers.
Result<void> LockResource::show(Place& place, Deadline until) {
  if (++place.looks < 2) return {};
  const auto now = Clock::now();
  if (place.shown != 0 && now - place.shown_at < backend().beat() / 2) return {};
  Args args;
  if (place.shown != 0) {
    args << std::int64_t{kPlaceLease.count()} << place.taking.id << place.shown;
  } else {
    Args purge;  // others may have left without a word
    purge << place.taking.id;
    (void)backend().run(sql::kPurge, purge, until);
    const std::string_view me = place.taking.owner;
    args << me << std::uint32_t{1} << std::uint32_t{1} << std::uint32_t{0}
         << std::int64_t{kPlaceLease.count()} << place.taking.holder << place.taking.id
         << number_of(row().kind()) << place.taking.epoch;
  }
  place.showing = true;
  auto shown = backend().run(place.shown != 0 ? sql::kKeepPlace : sql::kEnterSilently,
                             args, until);
  if (!shown) {
    if (shown.error().code == Errc::outcome_unknown) place.doubtful = true;
    return Failure(Errc::unavailable, shown.error().context);
  }
  if (place.shown == 0 || shown->matched == 0) place.shown = shown->id;
  place.shown_at = now;
  return {};
}

Result<void> LockResource::hide(Place& place, Deadline until) {
  if (!place.showing) return {};
  Args args;
  args << place.taking.id << std::string_view(place.taking.owner);
  auto hidden = backend().run(sql::kHide, args, until);
  if (!hidden) return std::move(hidden).error();
  place.showing = false;
  place.shown = 0;
  return {};
}

// Until it is rung; or until the time of who has it is over, or what was seen free has
// been free for so long that whoever was rung for it will not come.
std::chrono::nanoseconds LockResource::pause(const Place& place,
                                             const Standing& standing) const {
  const bool will_ring = place.wait != nullptr || place.watch != nullptr;
  if (!will_ring || standing.is_free()) return base::jittered(kLookSoon);
  const auto most = place.looks < 2 ? kLookFirst : kLookAgain;
  return std::min<std::chrono::nanoseconds>(base::jittered(most), standing.left + 1ms);
}

}  // namespace holdfast::mysql

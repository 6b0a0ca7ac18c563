#include <algorithm>
#include <utility>

#include "base/pause.h"
#include "engines/mysql/errors.h"
#include "engines/mysql/lock.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

using engine::Deadline;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::nanoseconds kLookFirst = 100ms;  // who waits longer is shown
constexpr std::chrono::nanoseconds kLookAgain = 2s;
constexpr std::chrono::nanoseconds kLookSoon = 200ms;  // when nobody will ring
constexpr std::chrono::microseconds kWaiterLease = 10s;

}  // namespace

// What the listener has to say.
void LockResource::take_outcome(ClaimState& state) {
  const BellWait::Outcome heard = state.wait->outcome();
  switch (heard.state) {
    case BellWait::State::waiting:
      return;
    case BellWait::State::failed:
      state.no_listener = ++state.failures >= BellThreads::kTries;
      break;
    case BellWait::State::rung:
      state.bell = heard.connection;
      break;
    case BellWait::State::granted:
      state.bell = heard.connection;
      state.granted = true;
      state.token = heard.token;
      state.asked = heard.asked;
      break;
    case BellWait::State::doubtful:
      state.doubtful = true;
      break;
  }
  state.wait.reset();
}

Result<void> LockResource::stop_waiting(ClaimState& state, Deadline until) {
  if (state.wait == nullptr) return {};
  if (!state.wait->stop(until)) {
    return still_listening(row().name());
  }
  take_outcome(state);
  state.wait.reset();
  return {};
}

Result<bool> LockResource::arm(ClaimState& state, const engine::Waker& waker,
                               Deadline until) {
  if (state.bell != nullptr || state.wait != nullptr || state.watch != nullptr) {
    return true;
  }
  if (backend().has_bells() && !state.no_listener) {
    start_waiting(state, waker);
    if (state.wait != nullptr) return true;
    state.no_listener = true;
  }
  auto watch = backend().poller().watch(row().name(), waker, until);
  if (!watch) return std::move(watch).error();
  state.watch = *std::move(watch);
  return false;
}

// On the listener's thread: once the bell is ours, the row is taken at once, while the
// thread that wants it is being woken.
void LockResource::start_waiting(ClaimState& state, const engine::Waker& waker) {
  const auto take = [bell = bell_of(state.taking), taking = state.taking](
                        BellWait& wait, Pool::Lent& connection) {
    const auto heard =
        BellThreads::wait_for(wait, connection, bell, BellThreads::After::keep);
    if (!heard.has_value()) return wait.finish({.state = BellWait::State::failed});
    if (!*heard) return wait.finish({});
    Args args;
    taking.add_to(args);
    const auto asked = Clock::now();
    const auto taken = connection->run(sql::kTakeSilently, args, asked + 5s);
    if (!taken) {
      const bool lost = taken.error().code == Errc::outcome_unknown;
      connection->cut();
      return wait.finish(
          {.state = lost ? BellWait::State::doubtful : BellWait::State::failed});
    }
    ++connection->bells;
    wait.finish(
        {.state = taken->matched > 0 ? BellWait::State::granted : BellWait::State::rung,
         .connection = connection.share(),
         .token = {taken->id},
         .asked = asked});
  };
  state.wait = backend().bell_threads().start(waker, take);
}

// Who waits for more than a moment is shown to observers.
Result<void> LockResource::show(ClaimState& state, Deadline until) {
  if (++state.looks < 2) return {};
  const auto now = Clock::now();
  if (state.shown != 0 && now - state.shown_at < backend().beat() / 2) return {};
  Args args;
  if (state.shown != 0) {
    args << std::int64_t{kWaiterLease.count()} << state.taking.id << state.shown;
  } else {
    Args purge;  // others may have left without a word
    purge << state.taking.id;
    (void)backend().run(sql::kPurge, purge, until);
    const std::string_view me = state.taking.owner;
    args << me << std::uint32_t{1} << std::uint32_t{1} << std::uint32_t{0}
         << std::int64_t{kWaiterLease.count()} << state.taking.holder << state.taking.id
         << number_of(row().kind()) << state.taking.epoch;
  }
  state.showing = true;
  auto shown = backend().run(state.shown != 0 ? sql::kRenewWaiter : sql::kEnterSilently,
                             args, until);
  if (!shown) {
    if (shown.error().code == Errc::outcome_unknown) state.doubtful = true;
    return Failure(Errc::unavailable, shown.error().context);
  }
  if (state.shown == 0 || shown->matched == 0) state.shown = shown->id;
  state.shown_at = now;
  return {};
}

Result<void> LockResource::hide(ClaimState& state, Deadline until) {
  if (!state.showing) return {};
  Args args;
  args << state.taking.id << std::string_view(state.taking.owner);
  auto hidden = backend().run(sql::kHide, args, until);
  if (!hidden) return std::move(hidden).error();
  state.showing = false;
  state.shown = 0;
  return {};
}

// Until it is rung; or until the time of who has it is over, or what was seen free has
// been free for so long that whoever was rung for it will not come.
std::chrono::nanoseconds LockResource::pause(const ClaimState& state,
                                             const RowState& row_state) const {
  const bool will_ring = state.wait != nullptr || state.watch != nullptr;
  if (!will_ring || row_state.is_free()) return base::jittered(kLookSoon);
  const auto most = state.looks < 2 ? kLookFirst : kLookAgain;
  return std::min<std::chrono::nanoseconds>(base::jittered(most), row_state.left + 1ms);
}

}  // namespace holdfast::mysql

#include "engines/mysql/lock.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

using engine::Claim;
using engine::Deadline;
using engine::Verdict;
using namespace std::chrono_literals;

namespace {

constexpr auto kAMoment = 20ms;

}  // namespace

void LockResource::Taking::add_to(Args& args, std::uint64_t more) const {
  args << tokens - 1 << std::string_view(owner) << std::int64_t{lease.count()} << holder
       << epoch + more << id << epoch;
}

Result<void> LockResource::prepare(ClaimState& state, const Claim& claim,
                                   Deadline until) {
  Taking& taking = state.taking;
  if (taking.owner.empty()) {
    taking.owner = backend().owner_of(claim.ticket);
    taking.holder = Holder::of_this_thread(payload_of(claim));
    taking.tokens = std::max(claim.tokens, 1U);
    taking.epoch = row().epoch();
  }
  taking.lease = backend().lease_of(claim);
  const auto id = row().need(until);
  if (!id) return id.error();
  taking.id = *id;
  return {};
}

Result<Verdict> LockResource::attempt(const Claim& claim, const engine::Waker& waker,
                                      Deadline until) {
  const auto asked = Clock::now();
  const auto state = claims_.find_or_add(claim.ticket);
  for (;;) {
    if (state->wait != nullptr) take_outcome(*state);
    if (state->granted) {
      (void)hide(*state, until);
      claims_.publish(claim.ticket,
                      std::make_shared<const Held>(
                          Held{state->taking.id, state->taking.owner, state->bell}));
      return Verdict(granted(*state, claim, asked));
    }
    if (auto ready = prepare(*state, claim, until); !ready) {
      if (!state->doubtful) claims_.erase(claim.ticket);
      return std::move(ready).error();
    }
    const auto row_state = try_to_take(*state, waker != nullptr, until);
    if (!row_state) return row_state.error();
    if (state->granted) continue;
    if (row_state->again) {
      if (Clock::now() < until) continue;
      return base::changed_by_others(base::in_quotes(row().name()));
    }
    if (waker == nullptr) {
      if (auto left = give_up(*state, until); !left) return std::move(left).error();
      claims_.erase(claim.ticket);
      return Verdict(engine::Blocked{1s});
    }
    const auto armed = arm(*state, waker, until);
    if (!armed.has_value()) return armed.error();
    if (!*armed) continue;
    if (auto shown = show(*state, until); !shown) return std::move(shown).error();
    return Verdict(engine::Blocked{pause(*state, *row_state)});
  }
}

// Who can wait listens first, and looks only if that lasts. A row whose owner's time is
// over, or that stays free although whoever is rung does not come, or that is wanted
// now or never, is taken in a new epoch.
Result<LockResource::RowState> LockResource::try_to_take(ClaimState& state,
                                                         bool can_wait,
                                                         Deadline until) {
  const bool patient = state.wait != nullptr || state.no_listener;
  if (!patient) {
    const auto taken = take(state, 0, until);
    if (!taken.has_value()) return taken.error();
    if (*taken) return RowState{};
    const bool first = state.looks == 0 && state.bell == nullptr && !state.doubtful;
    if (can_wait && first) return RowState{};
  }
  auto row_state = look(state, until);
  if (!row_state || state.granted || row_state->again) return row_state;
  if (state.wait != nullptr && row_state->is_free()) {  // its listener is about to know
    state.wait->linger(std::min(until, Clock::now() + kAMoment));
    take_outcome(state);
    if (state.granted || state.wait == nullptr) return RowState{.again = true};
  }
  const bool nobody_comes = !can_wait || (patient && state.free_before);
  state.free_before = row_state->is_free();
  if (row_state->is_abandoned() || (row_state->is_free() && nobody_comes)) {
    if (auto stopped = stop_waiting(state, until); !stopped) {
      return std::move(stopped).error();
    }
    if (state.granted) return row_state;
    const auto taken = take(state, 1, until);
    if (!taken.has_value()) return taken.error();
    row_state->again = !*taken;
  }
  return row_state;
}

Result<bool> LockResource::take(ClaimState& state, std::uint64_t more, Deadline until) {
  if (more > 0) release_bell(state, until);
  if (state.bell != nullptr && state.bell->is_cut()) state.bell.reset();
  auto connection = state.bell != nullptr ? backend().pool().lend(state.bell, until)
                                          : backend().pool().lend(until);
  if (!connection) return std::move(connection).error();
  const bool with_bell = backend().has_bells() && state.bell == nullptr;
  const std::string bell = bell_of(state.taking, more);
  Args args;
  state.taking.add_to(args, more);
  if (with_bell) args << std::string_view(bell);
  const auto asked = Clock::now();
  auto answer =
      (*connection)->run(with_bell ? sql::kTake : sql::kTakeSilently, args, until);
  if (!answer) {
    if (answer.error().code == Errc::outcome_unknown) state.doubtful = true;
    return std::move(answer).error();
  }
  if (answer->matched == 0) return false;
  state.granted = true;
  state.token = {answer->id};
  state.asked = asked;
  state.taking.epoch += more;
  row().remember_epoch(state.taking.epoch);
  if (with_bell) {
    state.bell = connection->share();
    ++state.bell->bells;
  }
  return true;
}

Result<LockResource::RowState> LockResource::look(ClaimState& state, Deadline until) {
  Args args;
  args << state.taking.id;
  const auto asked = Clock::now();
  auto answer = backend().run(sql::kReadRow, args, until);
  if (!answer) return Failure(Errc::unavailable, answer.error().context);
  if (answer->rows.empty() ||
      answer->rows.front()[3].number != number_of(row().kind())) {
    row().forget();
    return RowState{.again = true};
  }
  const Row& found = answer->rows.front();
  const std::uint64_t epoch = found[4].count();
  RowState row_state{
      .again = false, .owned = found[5].number != 0, .left = found[1].span()};
  if (found[0].text == state.taking.owner && !row_state.is_free()) {
    state.granted = true;  // an answer that was lost said so
    state.token = {found[2].count()};
    state.asked = asked - std::max(state.taking.lease - row_state.left, 0us);
    state.taking.epoch = epoch;
    return row_state;
  }
  if (epoch != state.taking.epoch) {
    release_bell(state, until);
    if (auto stopped = stop_waiting(state, until); !stopped) {
      return std::move(stopped).error();
    }
    if (state.granted) return row_state;
    state.taking.epoch = epoch;
    row().remember_epoch(epoch);
    row_state.again = row_state.is_free();
  }
  return row_state;
}

engine::Granted LockResource::granted(const ClaimState& state, const Claim& claim,
                                      Clock::time_point asked) const {
  const auto spent = std::max<Clock::duration>(asked - state.asked, 0ns);
  return {.token = state.token,
          .tokens = state.taking.tokens,
          .lease = std::max<engine::Lease>(backend().lease_of(claim) - spent, 0ns)};
}

}  // namespace holdfast::mysql

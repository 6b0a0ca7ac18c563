// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/plain_lock.h"

#include <algorithm>
#include <utility>

#include "base/pause.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

using engine::Claim;
using engine::Deadline;
using engine::Verdict;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::nanoseconds kTryAgain = 5s;
constexpr std::chrono::nanoseconds kTrySoon = 100ms;  // when no thread waits for it

bool says_one(const Result<Answer>& answer) {
  return answer && !answer->rows.empty() && answer->rows[0][0].number == 1;
}

}  // namespace

Result<Verdict> PlainLockResource::attempt(const Claim& claim,
                                           const engine::Waker& waker, Deadline until) {
  const auto asked = Clock::now();
  const auto state = claims_.find_or_add(claim.ticket);
  state->lease = backend().lease_of({});
  if (state->wait != nullptr) take_outcome(*state);
  if (!state->granted && state->wait == nullptr) {
    if (auto tried = take(*state, until); !tried) return std::move(tried).error();
  }
  if (state->granted) {
    publish(claim.ticket, *state, 0);
    return Verdict(granted(*state, asked));
  }
  if (waker == nullptr) {
    claims_.erase(claim.ticket);
    return Verdict(engine::Blocked{kTryAgain});
  }
  if (state->wait == nullptr) wait_for_lock(*state, waker);
  const bool is_woken = state->wait != nullptr;
  return Verdict(engine::Blocked{base::jittered(is_woken ? kTryAgain : kTrySoon)});
}

// A connection that has the lock would get it twice, because GET_LOCK counts. So the
// lock is taken on a connection that has none. If the answer is lost, the connection is
// cut, and with it the lock, if it was taken.
Result<void> PlainLockResource::take(ClaimState& state, Deadline until) {
  auto connection = backend().pool().lend_to_block(until);
  if (!connection) return std::move(connection).error();
  const auto asked = Clock::now();
  auto answer =
      (*connection)->run(sql::kWaitForBell, Args(row().name(), std::int64_t{0}), until);
  if (!answer) {
    (*connection)->cut();
    return Failure(Errc::unavailable, answer.error().context);
  }
  if (!says_one(answer)) return {};
  state.granted = true;
  state.granted_at = asked;
  state.bell.taken(row().name(), connection->share());
  return {};
}

void PlainLockResource::wait_for_lock(ClaimState& state, const engine::Waker& waker) {
  const auto take = [](Pool::Lent& connection, bool) -> BellWait::Outcome {
    ++connection->bells;
    return {.state = BellWait::State::granted,
            .connection = connection.share(),
            .token = {},
            .asked = Clock::now()};
  };
  state.wait = backend().bell_threads().start(waker, row().name(),
                                              BellThreads::After::keep, take);
}

void PlainLockResource::take_outcome(ClaimState& state) {
  const BellWait::Outcome outcome = state.wait->outcome();
  if (outcome.state == BellWait::State::waiting) return;
  state.granted = outcome.state == BellWait::State::granted;
  state.bell.adopt(row().name(), outcome.connection);
  state.granted_at = outcome.asked;
  state.wait.reset();
}

// A connection that does not answer is cut, which releases the lock, too.
Result<void> PlainLockResource::give_up(ClaimState& state, Deadline until) {
  if (state.wait != nullptr) {
    if (auto stopped = stop_wait(state, until); !stopped) return stopped;
    take_outcome(state);
    state.wait.reset();
  }
  const auto connection = state.bell.connection();
  state.bell.released();
  state.granted = false;
  if (connection == nullptr || connection->is_cut()) return Errc::not_held;
  const auto released =
      backend().run(sql::kReleaseBell, Args(row().name()), until, connection);
  if (!released) connection->cut();
  if (released && !says_one(released)) return Errc::not_held;
  return {};
}

Result<void> PlainLockResource::renew(const Claim& claim, Deadline until) {
  const auto held = held_claim(claim.ticket);
  if (held == nullptr) return Errc::not_held;
  const auto still = has_lock(held->connection, until);
  if (!still.has_value()) return still.error();
  if (!*still) return lost(claim.ticket);
  return {};
}

Result<bool> PlainLockResource::has_lock(const std::shared_ptr<Connection>& connection,
                                         Deadline until) {
  auto lent = backend().pool().lend(connection, until);
  if (!lent && connection->is_cut()) return false;
  if (!lent) return std::move(lent).error();
  const auto answer = (*lent)->run(sql::kHasLock, Args(row().name()), until);
  if (!answer && connection->is_cut()) return false;
  if (!answer) return answer.error();
  return says_one(answer);
}

Result<engine::Granted> PlainLockResource::amend(const Claim& held, const Claim&,
                                                 Deadline until) {
  auto renewed = renew(held, until);
  if (!renewed) return std::move(renewed).error();
  return engine::Granted{.token = {}, .lease = backend().lease_of({})};
}

Result<engine::Watch> PlainLockResource::watch(const engine::Waker&, Deadline) {
  return engine::Watch{nullptr, kTrySoon};
}

// The server tells no more than which of its connections has the lock.
Result<std::vector<engine::Entry>> PlainLockResource::survey(std::size_t limit,
                                                             Deadline until) {
  auto answer = backend().run(sql::kWhoHasLock, Args(row().name()), until);
  if (!answer) return std::move(answer).error();
  std::vector<engine::Entry> entries;
  if (limit == 0 || answer->rows.empty() || answer->rows[0][0].null) return entries;
  const std::string id = std::to_string(answer->rows[0][0].number);
  engine::Entry& entry = entries.emplace_back();
  entry.owner = id;
  entry.payload = "connection " + id;
  entry.granted = true;
  return entries;
}

}  // namespace holdfast::mysql

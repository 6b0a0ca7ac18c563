#include "engines/mysql/plain_lock.h"

#include <algorithm>
#include <utility>

#include "base/pause.h"
#include "engines/mysql/errors.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

using engine::Claim;
using engine::Deadline;
using engine::Verdict;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::nanoseconds kAskAgain = 5s;
constexpr std::chrono::nanoseconds kAskSoon = 100ms;  // when nobody will ring

bool says_one(const Result<Answer>& answer) {
  return answer && !answer->rows.empty() && answer->rows[0][0].number == 1;
}

}  // namespace

Result<Verdict> PlainLockResource::attempt(const Claim& claim,
                                           const engine::Waker& waker, Deadline until) {
  const auto asked = Clock::now();
  const auto state = claims_.find_or_add(claim.ticket);
  if (state->wait != nullptr) take_outcome(*state);
  if (!state->granted && state->wait == nullptr) {
    const auto taken = take(*state, until);
    if (!taken.has_value()) return taken.error();
  }
  if (state->granted) {
    claims_.publish(claim.ticket, state->held_by);
    const auto spent = std::max<Clock::duration>(asked - state->asked, 0ns);
    const engine::Lease whole = backend().lease_of({});
    return Verdict(engine::Granted{.token = {}, .lease = std::max(whole - spent, 0ns)});
  }
  if (waker == nullptr) {
    claims_.erase(claim.ticket);
    return Verdict(engine::Blocked{kAskAgain});
  }
  if (state->wait == nullptr) start_waiting(*state, waker);
  const bool rings = state->wait != nullptr;
  return Verdict(engine::Blocked{base::jittered(rings ? kAskAgain : kAskSoon)});
}

// On a connection that does not have it: GET_LOCK counts, and one would get it twice.
Result<bool> PlainLockResource::take(ClaimState& state, Deadline until) {
  auto connection = backend().pool().lend_to_block(until);
  if (!connection) return std::move(connection).error();
  Args args;
  args << std::string_view(row().name()) << std::int64_t{0};
  const auto asked = Clock::now();
  auto answer = (*connection)->run(sql::kWaitForBell, args, until);
  if (!answer) {
    (*connection)->cut();  // and with it the lock, if it was taken
    return Failure(Errc::unavailable, answer.error().context);
  }
  if (!says_one(answer)) return false;
  state.granted = true;
  state.asked = asked;
  state.held_by = connection->share();
  ++state.held_by->bells;
  return true;
}

void PlainLockResource::start_waiting(ClaimState& state, const engine::Waker& waker) {
  const auto take = [name = row().name()](BellWait& wait, Pool::Lent& connection) {
    const auto heard =
        BellThreads::wait_for(wait, connection, name, BellThreads::After::keep);
    if (!heard.has_value()) return wait.finish({.state = BellWait::State::failed});
    if (!*heard) return wait.finish({});
    ++connection->bells;
    wait.finish({.state = BellWait::State::granted,
                 .connection = connection.share(),
                 .token = {},
                 .asked = Clock::now()});
  };
  state.wait = backend().bell_threads().start(waker, take);
}

void PlainLockResource::take_outcome(ClaimState& state) {
  const BellWait::Outcome heard = state.wait->outcome();
  if (heard.state == BellWait::State::waiting) return;
  state.granted = heard.state == BellWait::State::granted;
  state.held_by = heard.connection;
  state.asked = heard.asked;
  state.wait.reset();
}

Result<void> PlainLockResource::drop(const Claim& claim, Deadline until) {
  const auto state = claims_.find(claim.ticket);
  if (state == nullptr) return Errc::not_held;
  claims_.withdraw(claim.ticket);
  auto dropped = give_up(*state, until);
  if (dropped || dropped.error().code == Errc::not_held) claims_.erase(claim.ticket);
  return dropped;
}

// A connection that does not answer is cut, and that releases it, too.
Result<void> PlainLockResource::give_up(ClaimState& state, Deadline until) {
  if (state.wait != nullptr) {
    if (!state.wait->stop(until)) {
      return still_listening(row().name());
    }
    take_outcome(state);
    state.wait.reset();
  }
  const auto connection = std::exchange(state.held_by, nullptr);
  state.granted = false;
  if (connection == nullptr) return Errc::not_held;
  --connection->bells;
  if (connection->is_cut()) return Errc::not_held;
  Args args;
  args << std::string_view(row().name());
  const auto released = backend().run(sql::kReleaseBell, args, until, connection);
  if (!released) connection->cut();
  if (released && !says_one(released)) return Errc::not_held;
  return {};
}

Result<void> PlainLockResource::renew(const Claim& claim, Deadline until) {
  const auto held_by = claims_.held(claim.ticket).value_or(nullptr);
  if (held_by == nullptr) return Errc::not_held;
  auto connection = backend().pool().lend(held_by, until);
  if (!connection) {
    if (held_by->is_cut()) return Errc::not_held;
    return std::move(connection).error();
  }
  Args args;
  args << std::string_view(row().name());
  const auto answer = (*connection)->run(sql::kHasLock, args, until);
  if (!answer) {
    if ((*connection)->is_cut()) return Errc::not_held;
    return answer.error();
  }
  if (!says_one(answer)) return Errc::not_held;
  return {};
}

Result<engine::Granted> PlainLockResource::amend(const Claim& held, const Claim&,
                                                 Deadline until) {
  auto renewed = renew(held, until);
  if (!renewed) return std::move(renewed).error();
  return engine::Granted{.token = {}, .lease = backend().lease_of({})};
}

Result<engine::Watch> PlainLockResource::watch(const engine::Waker&, Deadline) {
  return engine::Watch{nullptr, kAskSoon};
}

// All that the server tells is which of its connections has it.
Result<std::vector<engine::Entry>> PlainLockResource::survey(std::size_t limit,
                                                             Deadline until) {
  Args args;
  args << std::string_view(row().name());
  auto answer = backend().run(sql::kWhoHasLock, args, until);
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

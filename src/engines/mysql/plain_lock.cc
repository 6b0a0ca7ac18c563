#include "engines/mysql/plain_lock.h"

#include <algorithm>
#include <utility>

#include "base/pause.h"
#include "engines/mysql/sql.h"
#include "engines/mysql/status.h"

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
  const auto place = claims_.find_or_add(claim.ticket);
  if (place->wait != nullptr) hear(*place);
  if (!place->granted && place->wait == nullptr) {
    const auto taken = take(*place, until);
    if (!taken.has_value()) return taken.error();
  }
  if (place->granted) {
    claims_.publish(claim.ticket, place->held_by);
    const auto spent = std::max<Clock::duration>(asked - place->asked, 0ns);
    const engine::Lease whole = backend().lease_of({});
    return Verdict(engine::Granted{.token = {}, .lease = std::max(whole - spent, 0ns)});
  }
  if (waker == nullptr) {
    claims_.erase(claim.ticket);
    return Verdict(engine::Blocked{kAskAgain});
  }
  if (place->wait == nullptr) listen(*place, waker);
  const bool rings = place->wait != nullptr;
  return Verdict(engine::Blocked{base::jittered(rings ? kAskAgain : kAskSoon)});
}

// On a connection that does not have it: GET_LOCK counts, and one would get it twice.
Result<bool> PlainLockResource::take(Place& place, Deadline until) {
  auto connection = backend().pool().lend_to_block(until);
  if (!connection) return std::move(connection).error();
  Args args;
  args << std::string_view(row().name()) << std::int64_t{0};
  const auto asked = Clock::now();
  auto answer = (*connection)->run(sql::kWait, args, until);
  if (!answer) {
    (*connection)->cut();  // and with it the lock, if it was taken
    return Failure(Errc::unavailable, answer.error().context);
  }
  if (!says_one(answer)) return false;
  place.granted = true;
  place.asked = asked;
  place.held_by = connection->share();
  ++place.held_by->bells;
  return true;
}

void PlainLockResource::listen(Place& place, const engine::Waker& waker) {
  const auto take = [name = row().name()](Wait& wait, Pool::Lent& connection) {
    const auto heard = Listeners::hear(wait, connection, name, Listeners::After::keep);
    if (!heard.has_value()) return wait.finish({.state = Wait::State::failed});
    if (!*heard) return wait.finish({});
    ++connection->bells;
    wait.finish({.state = Wait::State::granted,
                 .connection = connection.share(),
                 .token = {},
                 .asked = Clock::now()});
  };
  place.wait = backend().listeners().start(waker, take);
}

void PlainLockResource::hear(Place& place) {
  const Wait::Heard heard = place.wait->heard();
  if (heard.state == Wait::State::waiting) return;
  place.granted = heard.state == Wait::State::granted;
  place.held_by = heard.connection;
  place.asked = heard.asked;
  place.wait.reset();
}

Result<void> PlainLockResource::drop(const Claim& claim, Deadline until) {
  const auto place = claims_.find(claim.ticket);
  if (place == nullptr) return Errc::not_held;
  claims_.withdraw(claim.ticket);
  auto dropped = give_up(*place, until);
  if (dropped || dropped.error().code == Errc::not_held) claims_.erase(claim.ticket);
  return dropped;
}

// A connection that does not answer is cut, and that releases it, too.
Result<void> PlainLockResource::give_up(Place& place, Deadline until) {
  if (place.wait != nullptr) {
    if (!place.wait->stop(until)) {
      return still_listening(row().name());
    }
    hear(place);
    place.wait.reset();
  }
  const auto connection = std::exchange(place.held_by, nullptr);
  place.granted = false;
  if (connection == nullptr) return Errc::not_held;
  --connection->bells;
  if (connection->is_cut()) return Errc::not_held;
  Args args;
  args << std::string_view(row().name());
  const auto released = backend().run(sql::kUnring, args, until, connection);
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

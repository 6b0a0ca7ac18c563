#include "engines/mysql/queue.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "base/pause.h"
#include "base/transient.h"
#include "engines/mysql/sql.h"
#include "holdfast/engine/admission.h"

namespace holdfast::mysql {

using engine::Claim;
using engine::Deadline;
using engine::Kind;
using engine::Mode;
using engine::Verdict;
using namespace std::chrono_literals;

namespace {

// As in the column `mode`.
std::uint32_t column_of(Mode mode) noexcept { return mode == Mode::shared ? 2 : 1; }

}  // namespace

Result<Verdict> QueueResource::attempt(const Claim& claim, const engine::Waker& waker,
                                       Deadline until) {
  const auto asked = Clock::now();
  const auto place = claims_.find_or_add(claim.ticket);
  for (;;) {
    if (place->granted) {
      publish(claim.ticket, *place);
      return Verdict(granted(*place, asked));
    }
    auto done = step(*place, claim, waker, until);
    if (!done) {
      if (!base::is_transient(done.error())) (void)drop(claim, until);
      return std::move(done).error();
    }
    if (*done) {
      if (waker == nullptr) {
        auto left = leave(*place, until);
        if (!left && left.error().code != Errc::not_held)
          return std::move(left).error();
        claims_.erase(claim.ticket);
      }
      return **std::move(done);
    }
    if (Clock::now() >= until && !place->granted) {
      return base::changed_by_others(base::in_quotes(row().name()));
    }
  }
}

Result<QueueResource::Step> QueueResource::step(Place& place, const Claim& claim,
                                                const engine::Waker& waker,
                                                Deadline until) {
  if (auto ready = prepare(place, claim, until); !ready)
    return std::move(ready).error();
  if (place.wait != nullptr) hear(place);
  if (place.id == 0) {
    if (auto in = enter(place, claim, until); !in) return std::move(in).error();
  }
  const auto line = look(place, until);
  if (!line) return line.error();
  if (!line->is_in()) {
    start_again(place, until);
    return Step{};
  }
  const Member& own = line->members[line->own];
  if (own.place.granted) {
    if (auto in = accept(place, own, until); !in) return std::move(in).error();
    return Step{};
  }
  const auto most = capacity(*line, claim, until);
  if (!most) return most.error();
  if (!*most) return Step{};
  if (admits(*line, **most)) {
    if (auto in = let_in(place, *line, until); !in) return std::move(in).error();
    return Step{};
  }
  const Member* const ahead = obstacle(*line);
  const auto hurried = hurry(place, ahead, until);
  if (!hurried.has_value()) return hurried.error();
  if (*hurried) return Step{};
  std::chrono::nanoseconds pause = base::jittered(backend().beat());
  for (const Member& each : line->members) {
    if (&each != &own)
      pause = std::min<std::chrono::nanoseconds>(pause, each.left + 1ms);
  }
  if (waker != nullptr) {
    if (auto kept = keep(place, until); !kept) return std::move(kept).error();
    const auto armed = arm(place, ahead, waker, until);
    if (!armed.has_value()) return armed.error();
    if (!*armed) return Step{};
  }
  return Step(engine::Blocked{pause});
}

Result<void> QueueResource::prepare(Place& place, const Claim& claim, Deadline until) {
  if (place.owner.empty()) {
    place.owner = backend().owner_of(claim.ticket);
    place.holder = Holder::of_this_thread(payload_of(claim));
  }
  place.lease = backend().lease_of(claim);
  const auto id = row().need(until);
  if (!id) return id.error();
  if (place.resource != *id) start_again(place, until);
  place.resource = *id;
  return {};
}

// As before the first attempt.
void QueueResource::start_again(Place& place, Deadline until) {
  unring(place, until);
  place.id = 0;
  place.watch.reset();
}

// A bell that cannot be had is held by a connection of ours that is ending.
Result<void> QueueResource::enter(Place& place, const Claim& claim, Deadline until) {
  constexpr int kTries = 3;
  bool bells = backend().has_bells();
  for (int i = 0; i < kTries; ++i) {
    auto in = enter_by(bells ? sql::kEnter : sql::kEnterSilently, place, claim, until);
    if (!in.has_value()) return std::move(in).error();
    if (*in) return {};
    const auto known = row().epoch();
    row().forget();
    const auto id = row().need(until);
    if (!id) return id.error();
    if (place.resource == *id && row().epoch() == known) bells = false;
    place.resource = *id;
  }
  return Failure(Errc::unavailable, "there was no way to get in line");
}

Result<bool> QueueResource::enter_by(const Sql& sql, Place& place, const Claim& claim,
                                     Deadline until) {
  const bool bells = &sql == &sql::kEnter;
  const std::string bell = Backend::bell_of(place.owner);
  const std::string_view me = place.owner;
  Args args;
  args << me << column_of(claim.mode) << claim.permits << std::uint32_t{bells}
       << std::int64_t{kPlaceLease.count()} << place.holder << place.resource
       << number_of(row().kind()) << row().epoch();
  if (bells) args << std::string_view(bell);
  auto connection = backend().pool().lend(until);
  if (!connection) return std::move(connection).error();
  auto answer = (*connection)->run(sql, args, until);
  if (!answer) {
    if (answer.error().code == Errc::outcome_unknown) place.doubtful = true;
    return std::move(answer).error();
  }
  if (answer->matched == 0) return false;
  place.id = answer->id;
  place.kept = Clock::now();
  if (bells) {
    place.bell = connection->share();
    ++place.bell->bells;
  }
  return true;
}

// A bell rings before the row is gone: whoever has heard it waits for that.
Result<QueueResource::Line> QueueResource::look(Place& place, Deadline until) {
  Args args;
  args << place.resource;
  auto answer =
      backend().run(place.rung ? sql::kQueueCommitted : sql::kQueue, args, until);
  if (!answer) return Failure(Errc::unavailable, answer.error().context);
  Line line;
  if (answer->rows.empty() ||
      answer->rows.front()[3].number != number_of(row().kind())) {
    row().forget();
    return line;
  }
  const Row& first = answer->rows.front();
  row().remember_epoch(first[12].count());
  line.fence = first[0].count();
  line.clock = first[13].count();
  line.version = first[1].count();
  if (!first[2].null) line.value = first[2].number;
  line.own = answer->rows.size();
  for (const Row& row : answer->rows) {
    if (row[4].null) continue;
    const std::chrono::microseconds left = row[10].span();
    if (left <= 0us) {
      line.stale = true;
      continue;
    }
    if (row[5].text == place.owner) line.own = line.members.size();
    line.members.push_back(
        {.id = row[4].count(),
         .owner = row[5].text,
         .place = {.mode = row[6].number == 2 ? Mode::shared : Mode::exclusive,
                   .permits = static_cast<std::uint32_t>(row[7].number),
                   .granted = row[8].number != 0},
         .bell = row[9].number != 0,
         .token = row[11].count(),
         .left = left});
  }
  if (!line.stale) return line;
  Args purge;
  purge << place.resource;
  auto purged = backend().run(sql::kPurge, purge, until);
  if (!purged) return Failure(Errc::unavailable, purged.error().context);
  return line;
}

// Of a semaphore, the first to name a number of permits stores it; nothing: it was.
Result<std::optional<std::uint32_t>> QueueResource::capacity(const Line& line,
                                                             const Claim& claim,
                                                             Deadline until) {
  using Most = std::optional<std::uint32_t>;
  if (row().kind() != Kind::semaphore) return Most(claim.capacity);
  if (!line.value && claim.capacity > 0) {
    auto stored = number().exchange({}, claim.capacity, engine::Ticket::none, until);
    if (!stored) return std::move(stored).error();
    return Most{};
  }
  const auto most = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(line.value.value_or(0), 0, UINT32_MAX));
  if (claim.permits > most) {
    return base::too_many_permits(base::in_quotes(row().name()), claim.permits, most);
  }
  return Most(most);
}

bool QueueResource::admits(const Line& line, std::uint32_t capacity) const {
  std::vector<engine::QueueEntry> places;
  places.reserve(line.members.size());
  for (const Member& each : line.members) places.push_back(each.place);
  return engine::admits(row().kind(), capacity, places, line.own);
}

// If somebody was let in meanwhile, nothing is written, and the next look tells. The
// parties of a double barrier are let in together.
Result<void> QueueResource::let_in(Place& place, const Line& line, Deadline until) {
  const bool all = row().kind() == Kind::double_barrier;
  const std::uint64_t token = std::max(line.fence + 1, line.clock);
  Args args;
  if (all) args << place.id << place.resource << line.members.size();
  args << token << token;
  if (!all) args << std::int64_t{place.lease.count()};
  args << place.resource << line.fence << line.version;
  if (!all) args << place.id;
  const auto asked = Clock::now();
  auto answer =
      backend().run(all ? sql::kGrantAll : sql::kGrant, args, until, place.bell);
  if (!answer) return std::move(answer).error();
  if (answer->matched == 0 || all) return {};
  place.granted = true;
  place.token = {token};
  place.asked = asked;
  wait_no_more(place);
  return {};
}

// It was let in by another, or by a statement whose answer was lost.
Result<void> QueueResource::accept(Place& place, const Member& own, Deadline until) {
  const auto asked = Clock::now();
  place.id = own.id;
  place.token = {own.token};
  Args args;
  args << std::int64_t{place.lease.count()} << place.resource << place.id
       << std::string_view(place.owner);
  auto renewed = backend().run(sql::kRenewClaim, args, until, place.bell);
  if (!renewed) return Failure(Errc::unavailable, renewed.error().context);
  if (renewed->matched == 0) return {};
  place.granted = true;
  place.asked = asked;
  wait_no_more(place);
  return {};
}

void QueueResource::publish(engine::Ticket ticket, const Place& place) {
  claims_.publish(ticket, std::make_shared<const Held>(
                              Held{place.resource, place.id, place.owner, place.bell}));
}

engine::Granted QueueResource::granted(const Place& place,
                                       Clock::time_point asked) const {
  const auto spent = std::max<Clock::duration>(asked - place.asked, 0ns);
  return {.token = place.token,
          .lease = std::max<engine::Lease>(place.lease - spent, 0ns)};
}

}  // namespace holdfast::mysql

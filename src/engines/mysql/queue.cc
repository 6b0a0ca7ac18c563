#include "engines/mysql/queue.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "base/pause.h"
#include "base/transient.h"
#include "engines/mysql/transport/sql.h"
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
  const auto state = claims_.find_or_add(claim.ticket);
  for (;;) {
    if (state->granted) {
      publish(claim.ticket, *state);
      return Verdict(granted(*state, asked));
    }
    auto done = step(*state, claim, waker, until);
    if (!done) {
      if (!base::is_transient(done.error())) (void)drop(claim, until);
      return std::move(done).error();
    }
    if (*done) {
      if (waker == nullptr) {
        auto left = leave(*state, until);
        if (!left && left.error().code != Errc::not_held)
          return std::move(left).error();
        claims_.erase(claim.ticket);
      }
      return **std::move(done);
    }
    if (Clock::now() >= until && !state->granted) {
      return base::changed_by_others(base::in_quotes(row().name()));
    }
  }
}

Result<QueueResource::Step> QueueResource::step(ClaimState& state, const Claim& claim,
                                                const engine::Waker& waker,
                                                Deadline until) {
  if (auto ready = prepare(state, claim, until); !ready)
    return std::move(ready).error();
  if (state.wait != nullptr) take_outcome(state);
  if (state.id == 0) {
    if (auto in = enter(state, claim, until); !in) return std::move(in).error();
  }
  const auto queue = look(state, until);
  if (!queue) return queue.error();
  if (!queue->is_in()) {
    start_again(state, until);
    return Step{};
  }
  const QueuedClaim& own = queue->claims[queue->own];
  if (own.entry.granted) {
    if (auto in = accept(state, own, until); !in) return std::move(in).error();
    return Step{};
  }
  const auto most = capacity(*queue, claim, until);
  if (!most) return most.error();
  if (!*most) return Step{};
  if (admits(*queue, **most)) {
    if (auto in = grant(state, *queue, until); !in) return std::move(in).error();
    return Step{};
  }
  const QueuedClaim* const ahead = obstacle(*queue);
  const auto evicted = evict_dead_waiter(state, ahead, until);
  if (!evicted.has_value()) return evicted.error();
  if (*evicted) return Step{};
  std::chrono::nanoseconds pause = base::jittered(backend().beat());
  for (const QueuedClaim& each : queue->claims) {
    if (&each != &own)
      pause = std::min<std::chrono::nanoseconds>(pause, each.left + 1ms);
  }
  if (waker != nullptr) {
    if (auto kept = keep(state, until); !kept) return std::move(kept).error();
    const auto armed = arm(state, ahead, waker, until);
    if (!armed.has_value()) return armed.error();
    if (!*armed) return Step{};
  }
  return Step(engine::Blocked{pause});
}

Result<void> QueueResource::prepare(ClaimState& state, const Claim& claim,
                                    Deadline until) {
  if (state.owner.empty()) {
    state.owner = backend().owner_of(claim.ticket);
    state.holder = Holder::of_this_thread(payload_of(claim));
  }
  state.lease = backend().lease_of(claim);
  const auto id = row().need(until);
  if (!id) return id.error();
  if (state.resource != *id) start_again(state, until);
  state.resource = *id;
  return {};
}

// As before the first attempt.
void QueueResource::start_again(ClaimState& state, Deadline until) {
  release_bell(state, until);
  state.id = 0;
  state.watch.reset();
}

// A bell that cannot be had is held by a connection of ours that is ending.
Result<void> QueueResource::enter(ClaimState& state, const Claim& claim,
                                  Deadline until) {
  constexpr int kTries = 3;
  bool bells = backend().has_bells();
  for (int i = 0; i < kTries; ++i) {
    auto in = enter_by(bells ? sql::kEnter : sql::kEnterSilently, state, claim, until);
    if (!in.has_value()) return std::move(in).error();
    if (*in) return {};
    const auto known = row().epoch();
    row().forget();
    const auto id = row().need(until);
    if (!id) return id.error();
    if (state.resource == *id && row().epoch() == known) bells = false;
    state.resource = *id;
  }
  return Failure(Errc::unavailable, "there was no way to get in line");
}

Result<bool> QueueResource::enter_by(const Sql& sql, ClaimState& state,
                                     const Claim& claim, Deadline until) {
  const bool bells = &sql == &sql::kEnter;
  const std::string bell = Backend::bell_of(state.owner);
  const std::string_view me = state.owner;
  Args args;
  args << me << column_of(claim.mode) << claim.permits << std::uint32_t{bells}
       << std::int64_t{kWaiterLease.count()} << state.holder << state.resource
       << number_of(row().kind()) << row().epoch();
  if (bells) args << std::string_view(bell);
  auto connection = backend().pool().lend(until);
  if (!connection) return std::move(connection).error();
  auto answer = (*connection)->run(sql, args, until);
  if (!answer) {
    if (answer.error().code == Errc::outcome_unknown) state.doubtful = true;
    return std::move(answer).error();
  }
  if (answer->matched == 0) return false;
  state.id = answer->id;
  state.kept = Clock::now();
  if (bells) {
    state.bell = connection->share();
    ++state.bell->bells;
  }
  return true;
}

// A bell rings before the row is gone: whoever has heard it waits for that.
Result<QueueResource::QueueSnapshot> QueueResource::look(ClaimState& state,
                                                         Deadline until) {
  Args args;
  args << state.resource;
  auto answer =
      backend().run(state.rung ? sql::kQueueCommitted : sql::kQueue, args, until);
  if (!answer) return Failure(Errc::unavailable, answer.error().context);
  QueueSnapshot queue;
  if (answer->rows.empty() ||
      answer->rows.front()[3].number != number_of(row().kind())) {
    row().forget();
    return queue;
  }
  const Row& first = answer->rows.front();
  row().remember_epoch(first[12].count());
  queue.fence = first[0].count();
  queue.clock = first[13].count();
  queue.version = first[1].count();
  if (!first[2].null) queue.value = first[2].number;
  queue.own = answer->rows.size();
  for (const Row& row : answer->rows) {
    if (row[4].null) continue;
    const std::chrono::microseconds left = row[10].span();
    if (left <= 0us) {
      queue.stale = true;
      continue;
    }
    if (row[5].text == state.owner) queue.own = queue.claims.size();
    queue.claims.push_back(
        {.id = row[4].count(),
         .owner = row[5].text,
         .entry = {.mode = row[6].number == 2 ? Mode::shared : Mode::exclusive,
                   .permits = static_cast<std::uint32_t>(row[7].number),
                   .granted = row[8].number != 0},
         .bell = row[9].number != 0,
         .token = row[11].count(),
         .left = left});
  }
  if (!queue.stale) return queue;
  Args purge;
  purge << state.resource;
  auto purged = backend().run(sql::kPurge, purge, until);
  if (!purged) return Failure(Errc::unavailable, purged.error().context);
  return queue;
}

// Of a semaphore, the first to name a number of permits stores it; nothing: it was.
Result<std::optional<std::uint32_t>> QueueResource::capacity(const QueueSnapshot& queue,
                                                             const Claim& claim,
                                                             Deadline until) {
  using Most = std::optional<std::uint32_t>;
  if (row().kind() != Kind::semaphore) return Most(claim.capacity);
  if (!queue.value && claim.capacity > 0) {
    auto stored = number().exchange({}, claim.capacity, engine::Ticket::none, until);
    if (!stored) return std::move(stored).error();
    return Most{};
  }
  const auto most = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(queue.value.value_or(0), 0, UINT32_MAX));
  if (claim.permits > most) {
    return base::too_many_permits(base::in_quotes(row().name()), claim.permits, most);
  }
  return Most(most);
}

bool QueueResource::admits(const QueueSnapshot& queue, std::uint32_t capacity) const {
  std::vector<engine::QueueEntry> entries;
  entries.reserve(queue.claims.size());
  for (const QueuedClaim& each : queue.claims) entries.push_back(each.entry);
  return engine::admits(row().kind(), capacity, entries, queue.own);
}

// If somebody was let in meanwhile, nothing is written, and the next look tells. The
// parties of a double barrier are let in together.
Result<void> QueueResource::grant(ClaimState& state, const QueueSnapshot& queue,
                                  Deadline until) {
  const bool all = row().kind() == Kind::double_barrier;
  const std::uint64_t token = std::max(queue.fence + 1, queue.clock);
  Args args;
  if (all) args << state.id << state.resource << queue.claims.size();
  args << token << token;
  if (!all) args << std::int64_t{state.lease.count()};
  args << state.resource << queue.fence << queue.version;
  if (!all) args << state.id;
  const auto asked = Clock::now();
  auto answer =
      backend().run(all ? sql::kGrantAll : sql::kGrant, args, until, state.bell);
  if (!answer) return std::move(answer).error();
  if (answer->matched == 0 || all) return {};
  state.granted = true;
  state.token = {token};
  state.asked = asked;
  wait_no_more(state);
  return {};
}

// It was let in by another, or by a statement whose answer was lost.
Result<void> QueueResource::accept(ClaimState& state, const QueuedClaim& own,
                                   Deadline until) {
  const auto asked = Clock::now();
  state.id = own.id;
  state.token = {own.token};
  Args args;
  args << std::int64_t{state.lease.count()} << state.resource << state.id
       << std::string_view(state.owner);
  auto renewed = backend().run(sql::kRenewClaim, args, until, state.bell);
  if (!renewed) return Failure(Errc::unavailable, renewed.error().context);
  if (renewed->matched == 0) return {};
  state.granted = true;
  state.asked = asked;
  wait_no_more(state);
  return {};
}

void QueueResource::publish(engine::Ticket ticket, const ClaimState& state) {
  claims_.publish(ticket, std::make_shared<const Held>(
                              Held{state.resource, state.id, state.owner, state.bell}));
}

engine::Granted QueueResource::granted(const ClaimState& state,
                                       Clock::time_point asked) const {
  const auto spent = std::max<Clock::duration>(asked - state.asked, 0ns);
  return {.token = state.token,
          .lease = std::max<engine::Lease>(state.lease - spent, 0ns)};
}

}  // namespace holdfast::mysql

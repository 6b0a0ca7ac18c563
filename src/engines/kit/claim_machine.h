// SPDX-License-Identifier: Apache-2.0

// engines/kit/claim_machine.h - takes, waits for, changes and gives up claims on a
// server that keeps a queue for each resource.
//
//   // `store` sends the requests, and keeps the claims: see ClaimStore
//   return kit::ClaimMachine(store).attempt(claim, waker, until);
//
// An attempt goes round until it is decided:
//
//   look     puts the claim into the queue, unless it is there, and reads the queue
//   admits   asks the one rule of all engines, engine::admits
//     yes    admit writes that the claim is granted      -> granted
//     no     arm listens to the obstacle                 -> blocked
//
// It goes round again when the queue has changed between two of these steps. Each
// request may be repeated and may be applied although its reply was lost: the next
// attempt with the same ticket looks at what is there.

#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/common_failures.h"
#include "base/transient.h"
#include "engines/kit/claim_table.h"
#include "engines/kit/queue_rules.h"
#include "holdfast/engine/admission.h"
#include "holdfast/engine/session.h"

namespace holdfast::kit {

// What the machine knows of one claim. An engine derives its own ClaimState from it.
struct ClaimProgress {
  std::int64_t session_id = 0;  // the session or lease in which the rest is true
  bool granted = false;
  Clock::time_point since{};                    // when the granted attempt began
  engine::Mode mode = engine::Mode::exclusive;  // of the granted claim
  std::uint32_t permits = 0;                    // of the granted claim
  std::uint32_t capacity = 0;  // of a semaphore, as the granted attempt found it

  // Lets go of what `arm` has made: the claim is granted.
  void disarm() noexcept {}
};

// Of a semaphore; nothing if it is not stored, or not known.
using Capacity = std::optional<std::uint32_t>;

// The queue as one look found it, in order of arrival. Entries that make no difference
// to this claim may be left out.
struct QueueSnapshot {
  std::vector<engine::QueueEntry> entries;
  std::size_t own = 0;  // which of them is this claim

  Capacity capacity = {};  // the one that is stored

  // After how long a waiter looks again although nothing was heard.
  std::chrono::nanoseconds retry_after{};
};

// The requests of one engine about one resource.
//   State           a ClaimProgress, and what the requests need to remember.
//   Held            what `renew` sees of a granted claim; `Held::session_id` as above.
//   Snapshot        a QueueSnapshot, and what `admit` and `arm` need of the look.
//   kind, subject   what the resource is, and how an error names it.
//   claims          what is known of the claims, for the machine and for `renew`.
//   session         the present session or lease; opens one if there is none.
//   is_over         whether that one has ended, as far as is known here.
//   look            puts the claim into the queue, unless it is there already by an
//                   earlier request of this ticket, and reads the queue, in one round
//                   trip if the server can. An entry is granted if its holder has seen
//                   that or need not ask again. It returns nothing if the entry was
//                   removed or something was put right, and the state says so: the
//                   machine looks again.
//   set_capacity    stores the capacity that the claim names, if none is stored, and
//                   returns the one that is stored then. It returns nothing if the
//                   queue may have changed by that: the machine looks again.
//   admit           writes that the claim is granted, where the server stores it, on
//                   condition that the snapshot is still true as far as it matters.
//                   It returns false if it is not.
//   arm             makes `waker` ring when the obstacle ends or the entry itself is
//                   removed. It returns false if that may have happened since the
//                   snapshot.
//   remove          takes the entry out of the queue, also one that a request which is
//                   still on its way would make. `last` is what `renew` saw last.
//                   Errc::not_held: there was none, and no lost reply leaves a doubt.
//   rewrite         changes the entry of a granted claim to `wanted`, and sets
//                   State::mode to what the claim is then. Errc::not_held: it is gone.
//   granted, held   how a granted claim looks to the core, and to `renew`. `asked` is
//                   when the call began.
template <class Store>
concept ClaimStore = std::derived_from<typename Store::State, ClaimProgress> &&
    std::derived_from<typename Store::Snapshot, QueueSnapshot> &&
    requires(Store& store, typename Store::State& state,
             const typename Store::Snapshot& queue,
             const std::optional<typename Store::Held>& last, const Obstacle& obstacle,
             const engine::Claim& claim, const engine::Waker& waker,
             Clock::time_point asked, engine::Deadline until, std::int64_t session_id) {
  { store.kind() } -> std::same_as<engine::Kind>;
  { store.subject() } -> std::convertible_to<std::string>;
  {
    store.claims()
    } -> std::same_as<ClaimTable<typename Store::State, typename Store::Held>&>;
  { store.session(until) } -> std::same_as<Result<std::int64_t>>;
  { store.is_over(session_id) } -> std::same_as<bool>;
  {
    store.look(state, claim, until)
    } -> std::same_as<Result<std::optional<typename Store::Snapshot>>>;
  { store.set_capacity(state, claim, until) } -> std::same_as<Result<Capacity>>;
  { store.admit(state, claim, queue, until) } -> std::same_as<Result<bool>>;
  { store.arm(state, queue, obstacle, waker, until) } -> std::same_as<Result<bool>>;
  { store.remove(state, claim.ticket, last, until) } -> std::same_as<Result<void>>;
  { store.rewrite(state, claim, until) } -> std::same_as<Result<void>>;
  { store.granted(state, claim, asked) } -> std::same_as<engine::Granted>;
  { store.held(state) } -> std::same_as<typename Store::Held>;
};

// Lives for one call. The calls for one ticket come one after another.
template <ClaimStore Store>
class ClaimMachine {
 public:
  explicit ClaimMachine(Store& store) : store_(store), claims_(store.claims()) {}

  // These do what engine::Resource says of them.
  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker, engine::Deadline until) {
    const auto asked = Clock::now();
    for (;;) {
      const auto state = state_of(claim.ticket, until);
      if (!state) return state.error();
      if ((*state)->granted) return grant(**state, claim, asked);
      auto decided = try_once(**state, claim, waker, asked, until);
      if (!decided) {
        if (!base::is_transient(decided.error())) (void)drop(claim, until);
        return std::move(decided).error();
      }
      if (*decided) return **decided;
      if (Clock::now() >= until) return base::changed_by_others(store_.subject());
    }
  }

  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) {
    const auto asked = Clock::now();
    const auto state = claims_.find(held.ticket);
    if (state == nullptr || !state->granted) return Errc::not_held;
    if (store_.is_over(state->session_id)) return Errc::not_held;
    if (wanted.permits > state->permits) return base::cannot_grow(store_.subject());
    const bool reads = store_.kind() == engine::Kind::shared_mutex &&
                       state->mode == engine::Mode::shared;
    if (reads && wanted.mode == engine::Mode::exclusive) {
      return base::reader_cannot_write(store_.subject());
    }
    auto rewritten = store_.rewrite(*state, wanted, until);
    if (!rewritten) return std::move(rewritten).error();
    state->permits = wanted.permits;
    return store_.granted(*state, wanted, asked);
  }

  // A claim whose removal is in doubt stays known, so that the call can be repeated.
  // From here on, no renewal that begins sees the claim, and none ends it.
  Result<void> drop(const engine::Claim& claim, engine::Deadline until) {
    const auto last = claims_.withdraw(claim.ticket);
    const auto state = claims_.find(claim.ticket);
    if (state == nullptr) return Errc::not_held;
    if (store_.is_over(state->session_id)) {
      claims_.erase(claim.ticket);
      return Errc::not_held;
    }
    return remove(*state, claim.ticket, last, until);
  }

 private:
  using State = typename Store::State;
  using Decided = std::optional<engine::Verdict>;  // nothing: go round again

  // What was known of this claim under another session is forgotten, and so are the
  // granted claims of sessions that are over.
  Result<std::shared_ptr<State>> state_of(engine::Ticket ticket,
                                          engine::Deadline until) {
    const auto session_id = store_.session(until);
    if (!session_id) return session_id.error();
    auto state = claims_.find_or_add(ticket);
    if (state->session_id != *session_id) {
      claims_.forget_ended_sessions(
          *session_id, [&](std::int64_t of) { return store_.is_over(of); });
      state = claims_.find_or_add(ticket);
      *state = State{};
      state->session_id = *session_id;
    }
    return state;
  }

  Result<Decided> try_once(State& state, const engine::Claim& claim,
                           const engine::Waker& waker, Clock::time_point asked,
                           engine::Deadline until) {
    const auto looked = store_.look(state, claim, until);
    if (!looked) return looked.error();
    if (!*looked) return Decided();
    const typename Store::Snapshot& queue = **looked;
    if (queue.entries[queue.own].granted) {
      note_capacity(state, queue.capacity);
      return Decided(grant(state, claim, asked));
    }

    const auto capacity = capacity_for(state, claim, queue, until);
    if (!capacity) return capacity.error();
    if (!*capacity) return Decided();
    note_capacity(state, *capacity);
    if (engine::admits(store_.kind(), **capacity, queue.entries, queue.own)) {
      const auto admitted = store_.admit(state, claim, queue, until);
      if (!admitted.has_value()) return admitted.error();
      return *admitted ? Decided(grant(state, claim, asked)) : Decided();
    }
    const engine::Blocked blocked{queue.retry_after};
    if (waker == nullptr) {
      auto left = remove(state, claim.ticket, {}, until);
      if (!left && left.error().code != Errc::not_held) return std::move(left).error();
      return Decided(blocked);
    }
    const Obstacle obstacle =
        find_obstacle(store_.kind(), **capacity, queue.entries, queue.own);
    const auto armed = store_.arm(state, queue, obstacle, waker, until);
    if (!armed.has_value()) return armed.error();
    return *armed ? Decided(blocked) : Decided();
  }

  // The first claim to name a number of permits stores it. Returns nothing if the
  // queue must be read again after that.
  Result<Capacity> capacity_for(State& state, const engine::Claim& claim,
                                const QueueSnapshot& queue, engine::Deadline until) {
    if (store_.kind() != engine::Kind::semaphore) return Capacity(claim.capacity);
    Capacity stored = queue.capacity;
    if (!stored && claim.capacity > 0) {
      auto set = store_.set_capacity(state, claim, until);
      if (!set || !*set) return set;
      stored = *set;
    }
    const std::uint32_t capacity = stored.value_or(0);
    if (claim.permits > capacity) {
      return base::too_many_permits(store_.subject(), claim.permits, capacity);
    }
    return Capacity(capacity);
  }

  // For other kinds, a capacity is something else.
  void note_capacity(State& state, const Capacity& capacity) const {
    if (store_.kind() == engine::Kind::semaphore) state.capacity = capacity.value_or(0);
  }

  engine::Verdict grant(State& state, const engine::Claim& claim,
                        Clock::time_point asked) {
    if (!std::exchange(state.granted, true)) {
      state.since = asked;
      state.mode = claim.mode;
      state.permits = claim.permits;
      state.disarm();
      claims_.publish(claim.ticket, store_.held(state));
    }
    engine::Granted granted = store_.granted(state, claim, asked);
    granted.capacity = state.capacity;
    return granted;
  }

  Result<void> remove(State& state, engine::Ticket ticket,
                      const std::optional<typename Store::Held>& last,
                      engine::Deadline until) {
    auto removed = store_.remove(state, ticket, last, until);
    if (removed || removed.error().code == Errc::not_held) claims_.erase(ticket);
    return removed;
  }

  Store& store_;
  ClaimTable<State, typename Store::Held>& claims_;
};

}  // namespace holdfast::kit

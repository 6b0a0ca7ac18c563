// SPDX-License-Identifier: Apache-2.0

// engines/kit/register_loop.h - changes a register on a server that can only write
// conditionally: read, decide, write if nothing has changed, else again.
//
//   kit::RegisterLoop loop(store);      // a few calls to the server: see RegisterStore
//   return loop.add(by, ticket, until);
//
// A change starts from the state that was seen last, so an undisturbed one is a single
// request. What was seen last may be out of date, so it alone never refuses a change.
// A change with a ticket writes a receipt (change_receipt.h) with it: a repeated call
// finds the outcome there, also when the first request was applied late.

#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <utility>

#include "base/common_failures.h"
#include "engines/kit/change_receipt.h"
#include "engines/kit/receipt_pool.h"
#include "holdfast/engine/session.h"

namespace holdfast::kit {

// What became of one conditional write. Made: `now` is the register after it. Not made:
// something else has changed, or was missing and has been put there; `now` is the
// register as it is, if the answer said so.
template <class Seen>
struct Written {
  bool made = false;
  std::optional<Seen> now = {};
};

// One register of one engine.
//   Seen      what a read brings, with what the condition of a write needs.
//   Receipt   a ChangeReceipt, and where its record is.
//   cached    what was seen last; nothing if that is no starting point for a write.
//   read      asks the server.
//   write     makes the register hold `to` (nothing: erases it) if it is still `seen`.
//             With a receipt, the record is written in the same step, for the receipt's
//             ticket, and only if it is not written for it yet. Sets `in_doubt` before
//             it sends, and clears it unless the request may have been applied.
//   look_up   reads the record. Sets `known` if it is written for the receipt's ticket;
//             clears `in_doubt` in any case, and `may_arrive` if this server applies no
//             earlier request after it has answered a later one.
//   fits      whether the register can hold `number`.
//   subject   how an error names the register.
template <class Store>
concept RegisterStore = std::derived_from<typename Store::Receipt, ChangeReceipt> &&
    requires(Store& store, const typename Store::Seen& seen,
             typename Store::Receipt& receipt, std::optional<std::int64_t> to,
             std::int64_t number, engine::Deadline until) {
  { store.receipts() } -> std::same_as<ReceiptPool<typename Store::Receipt>&>;
  { store.cached() } -> std::same_as<std::optional<typename Store::Seen>>;
  { store.read(until) } -> std::same_as<Result<typename Store::Seen>>;
  {
    store.write(seen, to, &receipt, until)
    } -> std::same_as<Result<Written<typename Store::Seen>>>;
  { store.look_up(receipt, until) } -> std::same_as<Result<void>>;
  { store.value_of(seen) } -> std::same_as<engine::Value>;
  { store.fits(seen, number) } -> std::same_as<bool>;
  { store.is_latch() } -> std::same_as<bool>;
  { store.subject() } -> std::same_as<std::string>;
};

// Whether to write, and what. A refusal is not an error: the caller learns how the
// register stands, and whether it is `done` as it is.
struct Decision {
  bool change = false;
  std::optional<std::int64_t> to = {};
  bool done = false;
};

// These decide as engine::Resource says. `decide_add` returns nothing if the sum does
// not fit into 64 bits.
std::optional<Decision> decide_add(const engine::Value& now, std::int64_t by,
                                   bool is_latch) noexcept;
Decision decide_exchange(const engine::Value& now, const engine::Value& from,
                         std::optional<std::int64_t> to) noexcept;

// Lives for one call.
template <RegisterStore Store>
class RegisterLoop {
 public:
  explicit RegisterLoop(Store& store) : store_(store) {}

  // These do what engine::Resource says of them.
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until) {
    const auto added = change(ticket, until, [&](const Seen& seen) -> Result<Decision> {
      return fitting(seen, decide_add(store_.value_of(seen), by, store_.is_latch()));
    });
    if (!added) return added.error();
    return added->now;
  }
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket, engine::Deadline until) {
    return change(ticket, until, [&](const Seen& seen) -> Result<Decision> {
      return fitting(seen, decide_exchange(store_.value_of(seen), from, to));
    });
  }

 private:
  using Seen = typename Store::Seen;
  using Receipt = typename Store::Receipt;

  Result<Decision> fitting(const Seen& seen, std::optional<Decision> decision) {
    const bool fits = decision && (!decision->to || store_.fits(seen, *decision->to));
    if (!fits) return base::number_does_not_fit(store_.subject());
    return *decision;
  }

  template <class Decide>
  Result<engine::Exchanged> change(engine::Ticket ticket, engine::Deadline until,
                                   const Decide& decide) {
    if (ticket == engine::Ticket::none) return write_until_made(nullptr, until, decide);
    Receipt& receipt = store_.receipts().take(ticket);
    auto changed = change_once(receipt, until, decide);
    if (changed) receipt.known = *changed;
    receipt.may_arrive = receipt.doubted();
    store_.receipts().give_back(receipt);
    return changed;
  }

  template <class Decide>
  Result<engine::Exchanged> change_once(Receipt& receipt, engine::Deadline until,
                                        const Decide& decide) {
    if (!receipt.known && receipt.in_doubt) {
      if (auto found = store_.look_up(receipt, until); !found) return found.error();
    }
    if (receipt.known) return *receipt.known;
    return write_until_made(&receipt, until, decide);
  }

  template <class Decide>
  Result<engine::Exchanged> write_until_made(Receipt* receipt, engine::Deadline until,
                                             const Decide& decide) {
    std::optional<Seen> seen = store_.cached();
    bool fresh = false;
    for (;;) {
      if (!seen) {
        auto read = store_.read(until);
        if (!read) return std::move(read).error();
        seen = *std::move(read);
        fresh = true;
      }
      const auto decision = decide(*seen);
      const bool refused = !decision || !decision->change;
      if (refused && !fresh) {
        seen.reset();
        continue;
      }
      Written<Seen> written;
      if (!refused) {
        auto answer = store_.write(*seen, decision->to, receipt, until);
        if (!answer) return std::move(answer).error();
        written = *std::move(answer);
        if (written.made) return engine::Exchanged{true, store_.value_of(*written.now)};
      }
      // The register may be as it is because an earlier request of this ticket was
      // applied after all.
      if (receipt != nullptr && receipt->may_arrive && !receipt->known) {
        if (auto found = store_.look_up(*receipt, until); !found) return found.error();
      }
      if (receipt != nullptr && receipt->known) return *receipt->known;
      if (!decision) return decision.error();
      if (refused) return engine::Exchanged{decision->done, store_.value_of(*seen)};
      if (Clock::now() >= until) return base::changed_by_others(store_.subject());
      seen = std::move(written.now);
      fresh = true;
    }
  }

  Store& store_;
};

}  // namespace holdfast::kit

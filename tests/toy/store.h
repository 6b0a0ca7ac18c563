// SPDX-License-Identifier: Apache-2.0
// tests/toy/store.h - steps 2 and 3 of "A new engine" in docs/architecture.md: the
// claims of one name as a kit::ClaimStore, and its number as a kit::RegisterStore.
// claim_machine.h and register_loop.h in engines/kit say what each call has to do.

#pragma once

#include "engines/kit/claim_machine.h"
#include "toy/server.h"

namespace holdfast::toy {

class Store {
 public:
  struct State : kit::ClaimProgress {
    FencingToken token;
    std::shared_ptr<void> watch;
    void disarm() noexcept { watch.reset(); }
  };
  struct Held {
    std::int64_t session_id;
    std::shared_ptr<void> watch;  // rings the session's alarm: the claim may be gone
  };
  struct Snapshot : kit::QueueSnapshot {
    Document document;
  };
  using Seen = Document;
  using Receipt = kit::ChangeReceipt;

  Store(Backend& backend, Address address)
      : backend_(backend), address_(std::move(address)) {}
  const std::string& name() const noexcept { return address_.name; }
  Kind kind() const noexcept { return address_.kind; }
  std::string subject() const { return base::in_quotes(name()); }
  Result<std::int64_t> session(Deadline) { return backend_.session; }
  kit::ClaimTable<State, Held>& claims() noexcept { return claims_; }
  bool is_over(std::int64_t) const noexcept { return false; }
  Held held(const State& state) {
    return {state.session_id, backend_.server->watch(name(), backend_.options.alarm)};
  }
  Granted granted(const State& state, const Claim& claim, Clock::time_point) const {
    const LeaseTime ttl = backend_.options.ttl, own = claim.lease;
    return {state.token, 1, own > LeaseTime(0) ? std::min(own, ttl) : ttl};
  }

  // Errc::wrong_kind: the name is in use for something else.
  Result<Document> read(Deadline = {}) {
    auto document = backend_.server->read(name());
    if (document && document->in_use() && document->kind != kind()) {
      return base::used_by_another_kind(subject());
    }
    if (document) document->kind = kind();
    return document;
  }

  Result<std::optional<Snapshot>> look(State& state, const Claim& claim, Deadline) {
    auto document = read();
    if (!document) return document.error();
    const auto own = document->find(owner_of(claim.ticket));
    if (own == document->queue.end()) return enter(claim, *document);
    state.token = own->token;
    Snapshot queue;
    queue.own = static_cast<std::size_t>(own - document->queue.begin());
    for (const Entry& each : document->queue) {
      queue.entries.push_back({each.mode, each.permits, each.granted});
    }
    if (document->number)
      queue.capacity = std::clamp(document->number->number, 0L, 0xFFFFFFFFL);
    queue.retry_after = kLookAgain;
    queue.document = *std::move(document);
    return std::optional(std::move(queue));
  }
  Result<kit::Capacity> set_capacity(State&, const Claim& claim, Deadline) {
    auto document = read();
    if (!document) return document.error();
    if (!document->number) document->number = {claim.capacity, document->version + 1};
    const auto stored = backend_.server->swap(name(), *document);
    return stored.transform([](bool) { return kit::Capacity(); });  // look again
  }
  // The parties of a double barrier are admitted together.
  Result<bool> admit(State& state, const Claim& claim, const Snapshot& queue,
                     Deadline) {
    Document next = queue.document;
    const std::string own = owner_of(claim.ticket);
    state.token = {next.version + 1};
    for (Entry& each : next.queue) {
      if (kind() != Kind::double_barrier && each.owner != own) continue;
      if (std::exchange(each.granted, true)) continue;
      each.token = state.token;
      each.since = std::chrono::system_clock::now();
    }
    return backend_.server->swap(name(), next);
  }
  // Every change of the name rings, whatever the obstacle: a toy can afford it.
  Result<bool> arm(State& state, const Snapshot& queue, const kit::Obstacle&,
                   const Waker& waker, Deadline) {
    state.watch = backend_.server->watch(name(), waker);
    const auto now = read();
    return now && now->version == queue.document.version;
  }
  Result<void> remove(State&, Ticket ticket, const std::optional<Held>&, Deadline d) {
    return evict(owner_of(ticket), d);
  }
  Result<void> rewrite(State& state, const Claim& wanted, Deadline d) {
    auto done = change(owner_of(wanted.ticket), d, [&](auto&, auto entry) {
      entry->mode = wanted.mode;
      entry->permits = wanted.permits;
      if (!wanted.payload.empty()) entry->payload = wanted.payload;
    });
    if (done) state.mode = wanted.mode;
    return done;
  }

  kit::ReceiptPool<Receipt>& receipts() noexcept { return backend_.receipts; }
  std::optional<Seen> cached() const { return std::nullopt; }
  Value value_of(const Seen& seen) const { return seen.number.value_or(Value{}); }
  bool fits(const Seen&, std::int64_t) const noexcept { return true; }
  bool is_latch() const noexcept { return kind() == Kind::latch; }
  Result<kit::Written<Seen>> write(const Seen& seen, std::optional<std::int64_t> to,
                                   Receipt* receipt, Deadline) {
    Document next = seen;
    next.number.reset();
    if (to) next.number = {*to, seen.version + 1};
    if (receipt != nullptr) {
      const auto number = std::pair(backend_.session, receipt->number);
      next.receipts[number] = {receipt->ticket, value_of(next)};
      receipt->in_doubt = true;
    }
    const auto made = backend_.server->swap(name(), next);
    if (!made.has_value()) return made.error();
    if (receipt != nullptr) receipt->in_doubt = false;
    if (!*made) return kit::Written<Seen>{};
    return kit::Written<Seen>{true, std::move(next)};
  }
  Result<void> look_up(Receipt& receipt, Deadline) {
    const auto seen = backend_.server->read(name());
    if (!seen) return seen.error();
    receipt.in_doubt = receipt.may_arrive = false;
    const auto found = seen->receipts.find({backend_.session, receipt.number});
    if (found != seen->receipts.end() && found->second.first == receipt.ticket) {
      receipt.known = Exchanged{true, found->second.second};
    }
    return {};
  }
  Result<void> evict(const std::string& owner, Deadline until) {
    return change(owner, until, [](auto& queue, auto entry) { queue.erase(entry); });
  }
  std::string owner_of(Ticket ticket) const {
    return std::to_string(backend_.session) + ":" +
           std::to_string(static_cast<std::uint64_t>(ticket));
  }

 private:
  // Errc::not_held: the owner has no claim.
  template <class Change>
  Result<void> change(const std::string& owner, Deadline until, const Change& change) {
    for (;;) {
      auto document = read();
      if (!document) return document.error();
      const auto entry = document->find(owner);
      if (entry == document->queue.end()) return Errc::not_held;
      change(document->queue, entry);
      const auto changed = backend_.server->swap(name(), *document);
      if (!changed.has_value()) return changed.error();
      if (*changed) return {};
      if (Clock::now() >= until) return base::changed_by_others(subject());
    }
  }
  Result<std::optional<Snapshot>> enter(const Claim& claim, Document& document) {
    Entry& entry = document.queue.emplace_back();
    entry.owner = owner_of(claim.ticket);
    entry.payload = claim.payload.empty() ? backend_.options.payload : claim.payload;
    entry.mode = claim.mode;
    entry.permits = claim.permits;
    const auto entered = backend_.server->swap(name(), document);
    if (!entered.has_value()) return entered.error();
    return std::optional<Snapshot>();
  }

  Backend& backend_;
  const Address address_;
  kit::ClaimTable<State, Held> claims_;
};

}  // namespace holdfast::toy

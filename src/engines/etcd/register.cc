#include "engines/etcd/register.h"

#include <utility>

#include "engines/etcd/status.h"

namespace holdfast::etcd {

using engine::Deadline;
using engine::Exchanged;
using engine::Ticket;
using engine::Value;

namespace {

// In the answers to a refusal.
constexpr int kNow = 0;
constexpr int kBelow = 1;
constexpr int kMark = 2;

Failure lease_ended() {
  return {Errc::outcome_unknown, "the lease ended before etcd had answered"};
}

}  // namespace

Register::Register(Backend& backend, std::string key, Layout layout, bool alone)
    : backend_(backend), key_(std::move(key)), layout_(layout), alone_(alone) {}

Result<Value> Register::read(const wire::KeyValue* kv) const {
  const auto value = read_cell(layout_, kv);
  if (!value) return used_by_another_kind(key_);
  return *value;
}

Value Register::last() const {
  base::MutexLock lock(mutex_);
  return last_;
}

void Register::remember(const Value& value) {
  base::MutexLock lock(mutex_);
  if (value.version == 0 || value.version > last_.version) last_ = value;
}

Result<Value> Register::load(Deadline until) {
  wire::RangeRequest range;
  range.set_key(key_);
  const auto answer = backend_.calls().range(range, until);
  if (!answer) return answer.error();
  auto value = read(answer->kvs_size() > 0 ? &answer->kvs(0) : nullptr);
  if (value) remember(*value);
  return value;
}

Result<Value> Register::add(std::int64_t by, Ticket ticket, Deadline until,
                            const std::string& note) {
  const auto added =
      change(ticket,
             {[&](const Value& now) -> Result<Decision> {
                if (now.version == 0 && layout_ == Layout::latch)
                  return Decision{false};
                std::int64_t sum = 0;
                if (__builtin_add_overflow(now.number, by, &sum)) {
                  return Failure(Errc::bad_argument, "the sum does not fit");
                }
                const bool open = layout_ == Layout::latch && sum <= 0;
                return Decision{true, open ? std::nullopt : std::optional(sum)};
              },
              note},
             until);
  if (!added) return added.error();
  return added->now;
}

Result<Exchanged> Register::exchange(const Value& from, std::optional<std::int64_t> to,
                                     Ticket ticket, Deadline until,
                                     const std::string& note) {
  return change(ticket,
                {[&](const Value& now) -> Result<Decision> {
                   if (!engine::matches(from, now)) return Decision{false};
                   return Decision{now.version != 0 || to.has_value(), to};
                 },
                 note},
                until);
}

Result<Exchanged> Register::change(Ticket ticket, const Decide& decide,
                                   Deadline until) {
  if (ticket == Ticket::none) return change_with(nullptr, decide, until);
  Mark& mark = backend_.marks().take(ticket);
  auto changed = change_marked(mark, decide, until);
  if (changed) mark.known = *changed;
  mark.may_arrive = mark.doubted();
  backend_.marks().give_back(mark);
  return changed;
}

// If the lease of the mark is over, nothing was done this time; but with the lease the
// mark is gone that would tell of an earlier try.
Result<Exchanged> Register::change_marked(Mark& mark, const Decide& decide,
                                          Deadline until) {
  for (;;) {
    const bool doubted = mark.doubted();
    if (auto ready = prepare(mark, until); !ready) return std::move(ready).error();
    if (mark.known) return *mark.known;
    auto changed = change_with(&mark, decide, until);
    if (changed || changed.error().code != Errc::not_held) return changed;
    mark.in_doubt = doubted;
    if (doubted) return lease_ended();
  }
}

// A mark that is there, and that knows what became of the ticket's last try.
Result<void> Register::prepare(Mark& mark, Deadline until) {
  if (mark.known) return {};
  const auto lease = backend_.lease().need(until);
  if (!lease) return lease.error();
  if (mark.lease != *lease) {
    if (mark.doubted()) return lease_ended();
    mark.lease = *lease;
    mark.revision = 0;
  }
  return mark.in_doubt ? find_out(mark, until) : Result<void>();
}

Result<void> Register::find_out(Mark& mark, Deadline until) {
  wire::RangeRequest range;
  range.set_key(backend_.marks().key_of(mark));
  const auto answer = backend_.calls().range(range, until);
  if (!answer) return answer.error();
  learn(mark, answer->kvs_size() > 0 ? &answer->kvs(0) : nullptr);
  return {};
}

void Register::learn(Mark& mark, const wire::KeyValue* kv) {
  mark.in_doubt = false;
  mark.revision = kv != nullptr ? kv->mod_revision() : 0;
  if (const auto value = Marks::read(mark, kv)) mark.known = Exchanged{true, *value};
}

// What is remembered may be out of date: by that alone nothing is refused. Nor by what
// is so because an earlier try has arrived after all.
Result<Exchanged> Register::change_with(Mark* mark, const Decide& decide,
                                        Deadline until) {
  Value now = last();
  bool fresh = false;
  for (;;) {
    auto decision = decide.by(now);
    if (!fresh && (!decision || !decision->change)) {
      auto loaded = load(until);
      if (!loaded) return std::move(loaded).error();
      now = *loaded;
      fresh = true;
      continue;
    }
    if (!decision || !decision->change) {
      if (mark != nullptr && mark->may_arrive) {
        if (auto found = find_out(*mark, until); !found) return found.error();
        if (mark->known) return *mark->known;
      }
      if (!decision) return decision.error();
      return Exchanged{false, now};
    }
    const auto tried = write(now, decision->to, decide.note, mark, until);
    if (!tried) return tried.error();
    if (tried->done) return *tried->done;
    now = tried->now;
    fresh = true;
    if (Clock::now() >= until) {
      return Failure(Errc::unavailable, key_ + " was changed by others all the time");
    }
  }
}

Result<Register::Outcome> Register::write(const Value& from,
                                          std::optional<std::int64_t> to,
                                          const std::string& note, Mark* mark,
                                          Deadline until) {
  Txn txn;
  txn.if_changed(key_, static_cast<std::int64_t>(from.version));
  if (alone_) txn.if_none_below(key_ + "/");
  if (to) {
    txn.then().put(key_, write_cell(layout_, *to) + note);
  } else {
    txn.then().erase(key_);
  }
  txn.otherwise().get(key_);
  wire::RangeRequest below = all_below(key_ + "/");
  below.set_limit(1);
  below.set_keys_only(true);
  txn.otherwise().range(std::move(below));
  if (mark != nullptr) {
    const std::string key = backend_.marks().key_of(*mark);
    txn.if_changed(key, mark->revision);
    txn.then().put(key, Marks::text_of(*mark, to), mark->lease);
    txn.otherwise().get(key);
    mark->in_doubt = true;
  }
  auto answer = backend_.txn(txn.request(), mark != nullptr ? mark->lease : 0, until);
  if (!answer) return std::move(answer).error();
  if (mark != nullptr) mark->in_doubt = false;
  if (!answer->succeeded()) return read_refusal(*answer, mark);
  Value now;
  if (to) now = {*to, static_cast<std::uint64_t>(answer->header().revision())};
  if (mark != nullptr) mark->revision = answer->header().revision();
  remember(now);
  return Outcome{Exchanged{true, now}, now};
}

Result<Register::Outcome> Register::read_refusal(const wire::TxnResponse& answer,
                                                 Mark* mark) {
  if (mark != nullptr) {
    learn(*mark, found(answer, kMark));
    if (mark->known) return Outcome{mark->known};
  }
  auto now = read(found(answer, kNow));
  if (!now) return std::move(now).error();
  if (alone_ && found(answer, kBelow) != nullptr) return used_by_another_kind(key_);
  remember(*now);
  return Outcome{std::nullopt, *now};
}

}  // namespace holdfast::etcd

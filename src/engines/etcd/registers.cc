// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/registers.h"

#include <utility>

#include "base/common_failures.h"
#include "engines/etcd/errors.h"
#include "engines/etcd/names.h"
#include "engines/kit/receipt_text.h"
#include "engines/kit/register_loop.h"

namespace holdfast::etcd {

using engine::Deadline;
using engine::Exchanged;
using engine::Ticket;
using engine::Value;

namespace {

// The indexes of the responses in the answer of a refused transaction.
constexpr int kNow = 0;
constexpr int kBelow = 1;
constexpr int kReceipt = 2;

std::string ticket_text(engine::Ticket ticket) {
  return hex(static_cast<std::uint64_t>(ticket));
}

// Notes in the receipt what its key says about the ticket's change, and its revision.
void learn(Receipt& receipt, const wire::KeyValue* kv) {
  receipt.in_doubt = false;
  receipt.revision = kv != nullptr ? kv->mod_revision() : 0;
  if (kv == nullptr) return;
  const auto value =
      kit::read_receipt_text(kv->value(), ticket_text(receipt.ticket),
                             static_cast<std::uint64_t>(kv->mod_revision()));
  if (value) receipt.known = Exchanged{true, *value};
}

}  // namespace

// The store of one call of kit::RegisterLoop.
class Register::Store {
 public:
  using Seen = Value;
  using Receipt = etcd::Receipt;
  using Written = kit::Written<Value>;

  Store(Register& reg, const std::string& note) : reg_(reg), note_(note) {}

  kit::ReceiptPool<Receipt>& receipts() { return reg_.backend_.receipts(); }
  std::optional<Value> cached() const { return reg_.last(); }
  Result<Value> read(Deadline until) { return reg_.load(until); }
  Value value_of(const Value& seen) const { return seen; }
  bool fits(const Value&, std::int64_t) const { return true; }
  bool is_latch() const { return reg_.format_ == RegisterFormat::latch; }
  std::string subject() const { return reg_.key_; }

  Result<void> look_up(Receipt& receipt, Deadline until) {
    if (auto ready = prepare(receipt, until); !ready) return ready;
    wire::RangeRequest range;
    range.set_key(key_of(receipt));
    const auto answer = reg_.backend_.calls().range(range, until);
    if (!answer) return answer.error();
    learn(receipt, answer->kvs_size() > 0 ? &answer->kvs(0) : nullptr);
    return {};
  }

  // If the receipt's lease has ended, this request was not applied, and the next one is
  // sent under another lease.
  Result<Written> write(const Value& from, std::optional<std::int64_t> to,
                        Receipt* receipt, Deadline until) {
    if (receipt != nullptr) {
      if (auto ready = prepare(*receipt, until); !ready) return ready.error();
      receipt->in_doubt = true;
    }
    const std::int64_t lease = receipt != nullptr ? receipt->lease : 0;
    auto answer = reg_.backend_.txn(change(from, to, receipt).request(), lease, until);
    const bool lease_ended = !answer && answer.error().code == Errc::not_held;
    if (receipt != nullptr && (answer || lease_ended)) receipt->in_doubt = false;
    if (receipt != nullptr && lease_ended) return Written{};
    if (!answer) return std::move(answer).error();
    if (!answer->succeeded()) return read_refusal(*answer, receipt);
    const std::int64_t revision = answer->header().revision();
    if (receipt != nullptr) receipt->revision = revision;
    const Value now = to ? Value{*to, static_cast<std::uint64_t>(revision)} : Value{};
    reg_.remember(now);
    return Written{true, now};
  }

 private:
  std::string key_of(const Receipt& receipt) const {
    return reg_.backend_.options().root + "%marks/" +
           hex(static_cast<std::uint64_t>(receipt.lease)) + "-" +
           std::to_string(receipt.number);
  }

  // Puts the receipt under the current lease. With its old lease the key has ended that
  // would tell of an earlier request.
  Result<void> prepare(Receipt& receipt, Deadline until) {
    const auto lease = reg_.backend_.lease().ensure(until);
    if (!lease) return lease.error();
    if (receipt.lease == *lease) return {};
    if (receipt.doubted()) {
      return base::session_ended_unanswered(reg_.key_, "etcd");
    }
    receipt.lease = *lease;
    receipt.revision = 0;
    return {};
  }

  Txn change(const Value& from, std::optional<std::int64_t> to,
             const Receipt* receipt) const {
    const std::string& key = reg_.key_;
    Txn txn;
    txn.if_changed(key, static_cast<std::int64_t>(from.version));
    if (reg_.alone_) txn.if_none_below(key + "/");
    if (to) {
      txn.then().put(key, register_text(reg_.format_, *to) + note_);
    } else {
      txn.then().erase(key);
    }
    txn.otherwise().get(key);
    wire::RangeRequest below = all_below(key + "/");
    below.set_limit(1);
    below.set_keys_only(true);
    txn.otherwise().range(std::move(below));
    if (receipt != nullptr) {
      const std::string at = key_of(*receipt);
      txn.if_changed(at, receipt->revision);
      txn.then().put(at, kit::receipt_text(ticket_text(receipt->ticket), to),
                     receipt->lease);
      txn.otherwise().get(at);
    }
    return txn;
  }

  Result<Written> read_refusal(const wire::TxnResponse& answer, Receipt* receipt) {
    if (receipt != nullptr) {
      learn(*receipt, found(answer, kReceipt));
      if (receipt->known) return Written{};
    }
    auto now = reg_.read(found(answer, kNow));
    if (!now) return std::move(now).error();
    if (reg_.alone_ && found(answer, kBelow) != nullptr) {
      return used_by_another_kind(reg_.key_);
    }
    reg_.remember(*now);
    return Written{false, *now};
  }

  Register& reg_;
  const std::string& note_;
};

Register::Register(Backend& backend, std::string key, RegisterFormat format, bool alone)
    : backend_(backend), key_(std::move(key)), format_(format), alone_(alone) {}

Result<Value> Register::read(const wire::KeyValue* kv) const {
  const auto value = read_register(format_, kv);
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
  Store store(*this, note);
  return kit::RegisterLoop(store).add(by, ticket, until);
}

Result<Exchanged> Register::exchange(const Value& from, std::optional<std::int64_t> to,
                                     Ticket ticket, Deadline until,
                                     const std::string& note) {
  Store store(*this, note);
  return kit::RegisterLoop(store).exchange(from, to, ticket, until);
}

}  // namespace holdfast::etcd

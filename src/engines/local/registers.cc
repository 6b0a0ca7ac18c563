// SPDX-License-Identifier: Apache-2.0

#include "engines/local/registers.h"

#include "base/common_failures.h"

namespace holdfast::local {

using engine::Exchanged;
using engine::Value;

Value Registers::value_of(const RecordGuard& guard) const noexcept {
  const BlockIndex index = guard.record().value.load();
  if (index == 0) return {};
  const auto& cell = segment().at<ValueCell>(index);
  return {cell.number.load(), cell.version.load()};
}

// A new cell is filled aside and linked by one store. If this process dies, the one of
// the two cells that is not linked is freed with its session.
void Registers::set_value(RecordGuard& guard, BlockIndex cell,
                          std::optional<std::int64_t> to) noexcept {
  auto& record = guard.record();
  const BlockIndex old = record.value.load();
  if (old != 0) segment().at<Block>(old).owner.store(slot_of(record_.me()));
  if (to) {
    auto& value = segment().at<ValueCell>(cell);
    value.number.store(*to);
    value.version.store(record.token.fetch_add(1) + 1);
    record.value.store(cell);
    value.block.live.store(1);
    value.block.owner.store(0);
  } else {
    record.value.store(0);
  }
  if (old != 0) {
    segment().at<Block>(old).live.store(0);
    process().give_cell(old);
  }
  if (!to) process().give_cell(cell);
  guard.changed();
  guard.admit();  // A semaphore may have more permits now.
}

Result<Value> Registers::load(engine::Deadline until) {
  return record_.under_guard<Value>(until, [&](RecordGuard& guard) -> Result<Value> {
    if (!guard.become(record_.kind())) return record_.wrong_kind();
    return value_of(guard);
  });
}

// `rule(now, to)` returns whether to change the value, and sets `to`.
template <class F>
Result<Exchanged> Registers::change(engine::Ticket ticket, engine::Deadline until,
                                    F&& rule) {
  if (const auto done = process().change_of(ticket)) return *done;
  if (!process().present()) return process().why_absent();
  const auto cell = process().take_cell();
  if (!cell) return cell.error();
  bool used = false;
  auto outcome = record_.under_guard<Exchanged>(
      until, [&](RecordGuard& guard) -> Result<Exchanged> {
        if (!guard.become(record_.kind())) return record_.wrong_kind();
        std::optional<std::int64_t> to;
        Result<bool> verdict = rule(value_of(guard), to);
        if (!verdict.has_value()) return verdict.error();
        if (*verdict) {
          used = true;
          set_value(guard, *cell, to);
        }
        return Exchanged{*verdict, value_of(guard)};
      });
  if (!used) process().give_cell(*cell);
  if (outcome) process().note_change(ticket, *outcome);
  return outcome;
}

Result<Value> Registers::add(std::int64_t by, engine::Ticket ticket,
                             engine::Deadline until) {
  const auto sum = [&](Value now, std::optional<std::int64_t>& to) -> Result<bool> {
    if (now.version == 0 && record_.kind() == engine::Kind::latch) return false;
    std::int64_t total = 0;
    if (__builtin_add_overflow(now.number, by, &total)) {
      return base::number_does_not_fit(record_.quoted());
    }
    // A latch that reaches zero is open, and its register is erased.
    if (record_.kind() != engine::Kind::latch || total > 0) to = total;
    return true;
  };
  const auto done = change(ticket, until, sum);
  if (!done) return done.error();
  return done->now;
}

Result<Exchanged> Registers::exchange(const Value& from, std::optional<std::int64_t> to,
                                      engine::Ticket ticket, engine::Deadline until) {
  return change(ticket, until,
                [&](Value now, std::optional<std::int64_t>& then) -> Result<bool> {
                  then = to;
                  return engine::matches(from, now);
                });
}

}  // namespace holdfast::local

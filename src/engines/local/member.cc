#include "engines/local/member.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/fork_epoch.h"
#include "engines/local/burial.h"
#include "engines/local/guard.h"
#include "engines/local/heap.h"
#include "engines/local/slots.h"
#include "engines/local/ward.h"
#include "engines/local/witness.h"

namespace holdfast::local {
namespace {

constexpr int kStock = 8;
constexpr std::size_t kChanges = 64;

}  // namespace

Result<std::shared_ptr<Member>> Member::join(const std::shared_ptr<Segment>& segment,
                                             const engine::SessionOptions& options) {
  std::shared_ptr<Member> member;
  {
    auto entrance = Entrance::open(*segment);
    if (!entrance) return entrance.error();
    const auto me = entrance->reserve(options);
    if (!me) return me.error();
    member = std::make_shared<Member>(segment, *me, options.alarm);
    if (auto started = member->witness_->start(); !started) return started.error();
    entrance->admit(*me);
  }
  member->witness_->greet();
  bury_the_dead(*segment, member->me_);
  const auto payload = member->take_text(options.payload);
  if (!payload) return payload.error();
  member->slot().payload.store(*payload);
  return member;
}

Member::Member(std::shared_ptr<Segment> segment, SessionId me, engine::Waker alarm)
    : segment_(std::move(segment)),
      me_(me),
      slot_(segment_->slot(slot_of(me))),
      alarm_(std::move(alarm)),
      epoch_((base::watch_forks(), base::fork_epoch())),
      witness_(std::make_unique<Witness>(*this)) {}

Member::~Member() {
  if (ward_ >= 0) ::close(ward_);
  if (base::fork_epoch() != epoch_) {
    witness_->abandon();
  } else if (present()) {
    // The claims were given back, so processes that inherited the ward have nothing to
    // keep, and there is no process to wait for.
    slot().warded.store(0);
    slot().gone.store(1);
  }
}

void Member::notice_deletion() noexcept {
  if (segment_->is_deleted() && present()) slot().id.store(0);
}

Failure Member::why_absent() const {
  if (segment_->is_deleted())
    return {Errc::closed, segment_->path() +
                              " was deleted while in use, and others may have made a "
                              "new one; open another client"};
  return {Errc::closed, "this client's session in " + segment_->path() +
                            " was ended from outside, and its claims with it; open "
                            "another client"};
}

Result<Unit> Member::take_cell() {
  {
    base::MutexLock lock(mutex_);
    if (!stock_.empty()) {
      const Unit cell = stock_.back();
      stock_.pop_back();
      return cell;
    }
  }
  HeapVisit heap(*segment_, me_, Clock::now());
  if (!heap.entered()) return stuck(*segment_, segment_->header().guard);
  const auto first = heap.take(Shape::cell, slot_of(me_));
  if (!first) return first.error();
  base::MutexLock lock(mutex_);
  for (int i = 1; i < kStock; ++i) {
    const auto more = heap.take(Shape::cell, slot_of(me_));
    if (!more) break;
    stock_.push_back(*more);
  }
  return *first;
}

void Member::give_cell(Unit cell) noexcept {
  base::MutexLock lock(mutex_);
  try {
    stock_.push_back(cell);
  } catch (const std::bad_alloc&) {
    // The block is freed with the session.
  }
}

Result<Unit> Member::take_block(Shape shape) {
  HeapVisit heap(*segment_, me_, Clock::now());
  if (!heap.entered()) return stuck(*segment_, segment_->header().guard);
  return heap.take(shape, slot_of(me_));
}

Result<Unit> Member::take_signal() { return take_block(Shape::signal); }

Result<Unit> Member::take_text(std::string_view text) {
  if (text.empty()) return Unit{0};
  auto unit = take_block(Shape::text);
  if (!unit) return unit;
  auto& block = segment_->at<TextBlock>(*unit);
  const auto bytes = std::min(text.size(), kMaxPayload);
  std::memcpy(block.text, text.data(), bytes);
  block.bytes.store(static_cast<std::uint32_t>(bytes));
  return unit;
}

void Member::give_block(Unit block) noexcept {
  if (block == 0 || !present()) return;
  HeapVisit heap(*segment_, me_, Clock::now());
  // Otherwise the block is freed with the session.
  if (heap.entered()) heap.give(block);
}

void Member::note(std::uint64_t ticket, Unit cell) {
  base::MutexLock lock(mutex_);
  queued_[ticket] = {cell, nullptr};
}

void Member::await(std::uint64_t ticket, engine::Waker waker) noexcept {
  {
    base::MutexLock lock(mutex_);
    const auto found = queued_.find(ticket);
    if (found == queued_.end()) return;
    found->second.waker = std::move(waker);
  }
  witness_->look_round();
}

Unit Member::cell_of(std::uint64_t ticket) {
  base::MutexLock lock(mutex_);
  const auto found = queued_.find(ticket);
  return found == queued_.end() ? 0 : found->second.cell;
}

void Member::forget(std::uint64_t ticket) noexcept {
  base::MutexLock lock(mutex_);
  queued_.erase(ticket);
}

void Member::note_watch(Unit cell, engine::Waker waker) {
  base::MutexLock lock(mutex_);
  watches_[cell] = std::move(waker);
}

void Member::forget_watch(Unit cell) noexcept {
  base::MutexLock lock(mutex_);
  watches_.erase(cell);
}

void Member::note_change(engine::Ticket ticket, const engine::Exchanged& outcome) {
  if (ticket == engine::Ticket::none) return;
  base::MutexLock lock(mutex_);
  changes_.push_back({ticket, outcome});
  if (changes_.size() > kChanges) changes_.pop_front();
}

std::optional<engine::Exchanged> Member::change_of(engine::Ticket ticket) {
  if (ticket == engine::Ticket::none) return std::nullopt;
  base::MutexLock lock(mutex_);
  for (const auto& change : changes_) {
    if (change.ticket == ticket) return change.outcome;
  }
  return std::nullopt;
}

bool Member::ring_granted() noexcept {
  bool waiting = false;
  base::MutexLock lock(mutex_);
  for (auto& [ticket, queued] : queued_) {
    if (queued.waker == nullptr) continue;
    if (segment_->at<ClaimCell>(queued.cell).standing.load() == Standing::waiting) {
      waiting = true;
    } else {
      queued.waker->ring();
      queued.waker = nullptr;
    }
  }
  return waiting;
}

void Member::ring_all() noexcept {
  ring_alarm();
  ring_watches();
  base::MutexLock lock(mutex_);
  for (auto& [ticket, queued] : queued_) {
    if (queued.waker != nullptr) queued.waker->ring();
  }
}

void Member::ring_watches() noexcept {
  base::MutexLock lock(mutex_);
  for (const auto& [cell, waker] : watches_) waker->ring();
}

void Member::ring_alarm() const noexcept {
  if (alarm_ != nullptr) alarm_->ring();
}

int Member::ward() noexcept {
  base::MutexLock lock(mutex_);
  if (ward_ < 0) {
    const auto opened = open_ward(*segment_, slot_of(me_));
    if (opened) ward_ = *opened;
  }
  return ward_;
}

}  // namespace holdfast::local

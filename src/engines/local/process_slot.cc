// SPDX-License-Identifier: Apache-2.0

#include "engines/local/process_slot.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/fork_epoch.h"
#include "engines/local/barging.h"
#include "engines/local/liveness_thread.h"
#include "engines/local/memory/guard.h"
#include "engines/local/memory/heap.h"
#include "engines/local/memory/liveness_fd.h"
#include "engines/local/memory/slots.h"
#include "engines/local/reaper.h"

namespace holdfast::local {
namespace {

constexpr int kSpareCells = 8;
constexpr std::size_t kClaimsPerTick = 1000;
constexpr std::size_t kChanges = 64;

}  // namespace

Result<std::shared_ptr<ProcessSlot>> ProcessSlot::join(
    const std::shared_ptr<Segment>& segment, const engine::SessionOptions& options) {
  std::shared_ptr<ProcessSlot> process;
  {
    auto joining = JoinLock::take(*segment);
    if (!joining) return joining.error();
    const auto me = joining->reserve(options);
    if (!me) return me.error();
    process = std::make_shared<ProcessSlot>(segment, *me, options.alarm);
    if (auto started = process->liveness_thread_->start(); !started)
      return started.error();
    joining->publish(*me);
  }
  process->liveness_thread_->start_watching();
  reap_ended_sessions(*segment, process->me_);
  const auto payload = process->take_text(options.payload);
  if (!payload) return payload.error();
  process->slot().payload.store(*payload);
  return process;
}

ProcessSlot::ProcessSlot(std::shared_ptr<Segment> segment, SessionId me,
                         engine::Waker alarm)
    : segment_(std::move(segment)),
      me_(me),
      slot_(segment_->slot(slot_of(me))),
      alarm_(std::move(alarm)),
      epoch_((base::watch_forks(), base::fork_epoch())),
      liveness_thread_(std::make_unique<LivenessThread>(*this)) {}

ProcessSlot::~ProcessSlot() {
  if (liveness_fd_ >= 0) ::close(liveness_fd_);
  if (base::fork_epoch() != epoch_) {
    liveness_thread_->abandon();
  } else if (present()) {
    // The claims were given back, so processes that inherited the liveness descriptor
    // have nothing to keep, and there is no process to wait for.
    slot().has_liveness_fd.store(0);
    slot().gone.store(1);
  }
}

void ProcessSlot::notice_deletion() noexcept {
  if (segment_->is_deleted() && present()) slot().id.store(0);
}

Failure ProcessSlot::why_absent() const {
  if (segment_->is_deleted())
    return {Errc::closed, segment_->path() +
                              " was deleted while in use, and others may have made a "
                              "new one; open another client"};
  return {Errc::closed, "this client's session in " + segment_->path() +
                            " was ended from outside, and its claims with it; open "
                            "another client"};
}

Result<BlockIndex> ProcessSlot::take_cell() {
  {
    base::MutexLock lock(mutex_);
    if (!spare_cells_.empty()) {
      const BlockIndex cell = spare_cells_.back();
      spare_cells_.pop_back();
      return cell;
    }
  }
  HeapGuard heap(*segment_, me_, Clock::now());
  if (!heap.entered()) return stuck(*segment_, segment_->header().guard);
  const auto first = heap.take(Shape::cell, slot_of(me_));
  if (!first) return first.error();
  base::MutexLock lock(mutex_);
  for (int i = 1; i < kSpareCells; ++i) {
    const auto more = heap.take(Shape::cell, slot_of(me_));
    if (!more) break;
    spare_cells_.push_back(*more);
  }
  return *first;
}

void ProcessSlot::give_cell(BlockIndex cell) noexcept {
  base::MutexLock lock(mutex_);
  try {
    spare_cells_.push_back(cell);
  } catch (const std::bad_alloc&) {
    // The block is freed with the session.
  }
}

Result<BlockIndex> ProcessSlot::take_block(Shape shape) {
  HeapGuard heap(*segment_, me_, Clock::now());
  if (!heap.entered()) return stuck(*segment_, segment_->header().guard);
  return heap.take(shape, slot_of(me_));
}

Result<BlockIndex> ProcessSlot::take_signal() { return take_block(Shape::signal); }

Result<BlockIndex> ProcessSlot::take_text(std::string_view text) {
  if (text.empty()) return BlockIndex{0};
  auto index = take_block(Shape::text);
  if (!index) return index;
  auto& block = segment_->at<TextBlock>(*index);
  const auto bytes = std::min(text.size(), kMaxPayload);
  std::memcpy(block.text, text.data(), bytes);
  block.bytes.store(static_cast<std::uint32_t>(bytes));
  return index;
}

void ProcessSlot::give_block(BlockIndex block) noexcept {
  if (block == 0 || !present()) return;
  HeapGuard heap(*segment_, me_, Clock::now());
  // Otherwise the block is freed with the session.
  if (heap.entered()) heap.give(block);
}

void ProcessSlot::note(std::uint64_t ticket, BlockIndex cell) {
  base::MutexLock lock(mutex_);
  queued_.note(ticket, cell);
}

void ProcessSlot::await(std::uint64_t ticket, engine::Waker waker,
                        BlockIndex record) noexcept {
  {
    base::MutexLock lock(mutex_);
    if (!queued_.await(ticket, std::move(waker), record)) return;
  }
  liveness_thread_->note_waiting_claim();
}

BlockIndex ProcessSlot::cell_of(std::uint64_t ticket) {
  base::MutexLock lock(mutex_);
  return queued_.cell_of(ticket);
}

void ProcessSlot::forget(std::uint64_t ticket) noexcept {
  base::MutexLock lock(mutex_);
  queued_.forget(ticket);
}

void ProcessSlot::note_watch(BlockIndex cell, engine::Waker waker) {
  base::MutexLock lock(mutex_);
  watches_[cell] = std::move(waker);
}

void ProcessSlot::forget_watch(BlockIndex cell) noexcept {
  base::MutexLock lock(mutex_);
  watches_.erase(cell);
}

void ProcessSlot::note_change(engine::Ticket ticket, const engine::Exchanged& outcome) {
  if (ticket == engine::Ticket::none) return;
  base::MutexLock lock(mutex_);
  changes_.push_back({ticket, outcome});
  if (changes_.size() > kChanges) changes_.pop_front();
}

std::optional<engine::Exchanged> ProcessSlot::change_of(engine::Ticket ticket) {
  if (ticket == engine::Ticket::none) return std::nullopt;
  base::MutexLock lock(mutex_);
  for (const auto& change : changes_) {
    if (change.ticket == ticket) return change.outcome;
  }
  return std::nullopt;
}

// Rings the claim if it waits no longer, or has to look after its lock.
bool ProcessSlot::still_waits(const QueuedClaims::Queued& queued) const noexcept {
  const auto phase = segment_->at<ClaimCell>(queued.cell).phase.load();
  const bool waits = phase == ClaimPhase::waiting;
  if (!waits || needs_look(*segment_, segment_->at<Record>(queued.record))) {
    queued.waker->ring();
  }
  return waits;
}

void ProcessSlot::ring_ready() noexcept {
  const BlockIndex cell = slot().ready.exchange(0);
  if (cell == 0) return;
  const auto ticket = segment_->at<ClaimCell>(cell).ticket.load();
  base::MutexLock lock(mutex_);
  queued_.look_at(ticket, [this](const auto& queued) { return still_waits(queued); });
}

void ProcessSlot::look_at_claims(ClaimSubset subset) noexcept {
  const auto look = [this](const auto& queued) { return still_waits(queued); };
  base::MutexLock lock(mutex_);
  if (subset == ClaimSubset::all) {
    queued_.look_at_all(look);
  } else {
    queued_.look_at_some(kClaimsPerTick, look);
  }
}

bool ProcessSlot::any_waits() noexcept {
  base::MutexLock lock(mutex_);
  return queued_.any_waits();
}

void ProcessSlot::ring_all() noexcept {
  ring_alarm();
  ring_watches();
  base::MutexLock lock(mutex_);
  queued_.look_at_all([](const auto& queued) {
    queued.waker->ring();
    return true;
  });
}

void ProcessSlot::ring_watches() noexcept {
  base::MutexLock lock(mutex_);
  for (const auto& [cell, waker] : watches_) waker->ring();
}

void ProcessSlot::ring_alarm() const noexcept {
  if (alarm_ != nullptr) alarm_->ring();
}

int ProcessSlot::liveness_fd() noexcept {
  base::MutexLock lock(mutex_);
  if (liveness_fd_ < 0) {
    const auto opened = open_liveness_fd(*segment_, slot_of(me_));
    if (opened) liveness_fd_ = *opened;
  }
  return liveness_fd_;
}

}  // namespace holdfast::local

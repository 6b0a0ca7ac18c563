// SPDX-License-Identifier: Apache-2.0

#include "engines/local/wakeups.h"

#include <utility>

#include "engines/local/memory/wake.h"
#include "holdfast/clock.h"

namespace holdfast::local {
namespace {

// Removes the watch cell from the record when the watch is dropped. Until then the
// record is not given to another name.
class ActiveWatch {
 public:
  ActiveWatch(std::shared_ptr<ProcessSlot> process, RecordRef ref,
              BlockIndex cell) noexcept
      : process_(std::move(process)), ref_(ref), cell_(cell) {}
  ActiveWatch(const ActiveWatch&) = delete;
  ActiveWatch& operator=(const ActiveWatch&) = delete;
  ~ActiveWatch() {
    process_->forget_watch(cell_);
    if (!process_->present()) return;
    auto& segment = process_->segment();
    {
      RecordGuard guard(segment, ref_, process_->me(), engine::Deadline::max());
      if (!guard.entered()) return;
      Shared<BlockIndex>* link = &guard.record().watches;
      while (link->load() != 0 && link->load() != cell_) {
        link = &segment.at<Block>(link->load()).link;
      }
      if (link->load() == cell_) link->store(segment.at<Block>(cell_).link.load());
    }
    process_->give_cell(cell_);
  }

 private:
  std::shared_ptr<ProcessSlot> process_;
  RecordRef ref_;
  BlockIndex cell_;
};

}  // namespace

LocalSignal::LocalSignal(const std::shared_ptr<ProcessSlot>& process,
                         BlockIndex cell) noexcept
    : segment_(process->shared_segment()), process_(process), cell_(cell) {
  segment_->at<SignalCell>(cell_).word.store(kQuiet);
}

LocalSignal::~LocalSignal() {
  if (const auto process = process_.lock()) process->give_block(cell_);
}

void LocalSignal::ring() noexcept { ring_signal(*segment_, cell_); }

void LocalSignal::wait(engine::Deadline until) noexcept {
  auto& word = segment_->at<SignalCell>(cell_).word;
  std::uint32_t quiet = kQuiet;
  if (word.cas(quiet, kAsleep)) futex_wait(word, kAsleep, until);
  word.exchange(kQuiet);
}

Result<engine::Watch> watch_record(BoundRecord& record, const engine::Waker& waker,
                                   engine::Deadline until) {
  auto& process = *record.process();
  if (!process.present()) return process.why_absent();
  const auto cell = process.take_cell();
  if (!cell) return cell.error();
  const BlockIndex signal = signal_cell_of(waker);
  record.segment().at<WatchCell>(*cell).signal.store(signal);
  if (signal == 0) process.note_watch(*cell, waker);
  const auto watching = record.under_guard<RecordRef>(
      until, [&](RecordGuard& guard) -> Result<RecordRef> {
        record.segment().at<Block>(*cell).link.store(guard.record().watches.load());
        guard.record().watches.store(*cell);
        return record.ref();
      });
  if (!watching) {
    process.forget_watch(*cell);
    process.give_cell(*cell);
    return watching.error();
  }
  return engine::Watch{
      std::make_shared<ActiveWatch>(record.process(), *watching, *cell), kRetry};
}

}  // namespace holdfast::local

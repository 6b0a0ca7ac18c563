#include "engines/local/signal.h"

#include "engines/local/wakeups.h"
#include "holdfast/clock.h"

namespace holdfast::local {

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

}  // namespace holdfast::local

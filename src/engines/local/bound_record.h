// SPDX-License-Identifier: Apache-2.0

// engines/local/bound_record.h - one name of a segment, as one session uses it.
//
// The classes that work on it (Queue, Registers) are views that are made for one call:
// a client may have very many names, so all that is kept for one is here.

#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "engines/local/names.h"
#include "engines/local/process_slot.h"
#include "engines/local/record_guard.h"
#include "holdfast/engine/session.h"

namespace holdfast::local {

// The class is safe for concurrent use.
class BoundRecord {
 public:
  BoundRecord(std::shared_ptr<ProcessSlot> process, const engine::Address& address,
              RecordRef ref);

  const std::shared_ptr<ProcessSlot>& process() const noexcept { return process_; }
  Segment& segment() const noexcept { return process_->segment(); }
  SessionId me() const noexcept { return process_->me(); }
  engine::Kind kind() const noexcept { return kind_; }
  std::string quoted() const;  // the name in quotes, for messages

  RecordRef ref() const noexcept {
    const auto packed = ref_.load(std::memory_order_acquire);
    return {static_cast<BlockIndex>(packed >> 32), static_cast<std::uint32_t>(packed)};
  }
  Record& record_at(RecordRef ref) const noexcept {
    return segment().known<Record>(ref.record);
  }

  // Returns the record's word while `claim` is its plain owner.
  std::uint64_t word_of(const engine::Claim& claim) const noexcept {
    return owned_word(me(), static_cast<std::uint64_t>(claim.ticket));
  }

  // Runs body(RecordGuard&) under the record's guard, and looks the name up again if
  // its record has moved.
  template <class T, class F>
  Result<T> under_guard(engine::Deadline until, F&& body) {
    for (;;) {
      if (!process_->present()) return process_->why_absent();
      {
        RecordGuard guard(segment(), ref(), me(), until);
        if (guard.entered()) {
          auto done = body(guard);
          if (segment().damaged()) return segment().why_damaged();
          return done;
        }
        if (!guard.moved()) return stuck(segment(), guard.record().guard);
      }
      if (auto found = find_again(until); !found) return found.error();
    }
  }

  // This session has stored the capacity of the semaphore, or has seen it stored.
  bool capacity_stored() const noexcept {
    return capacity_stored_.load(std::memory_order_relaxed);
  }
  void note_capacity_stored() noexcept {
    capacity_stored_.store(true, std::memory_order_relaxed);
  }

  Failure not_held() const;
  Failure wrong_kind() const;

 private:
  Result<void> find_again(engine::Deadline until);

  const std::shared_ptr<ProcessSlot> process_;
  const std::unique_ptr<char[]> name_;  // A name contains no NUL.
  const engine::Kind kind_;
  std::atomic<bool> capacity_stored_{false};
  std::atomic<std::uint64_t> ref_;  // the record and its generation, 32 bits each
};

}  // namespace holdfast::local

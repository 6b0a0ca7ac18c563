// engines/local/resource.h - one name in a segment, as the waist sees it.
//
// The class is implemented in four files: claims.cc (attempt, drop), granted.cc (amend,
// renew), registers.cc and observers.cc.

#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "engines/local/names.h"
#include "engines/local/process_slot.h"
#include "engines/local/record_guard.h"
#include "holdfast/engine/session.h"

namespace holdfast::local {

// Converts a lease to the form that a cell keeps.
std::uint32_t milliseconds_of(engine::Lease lease) noexcept;

// A client may have very many resources, so the class is small.
class LocalResource final : public engine::Resource {
 public:
  LocalResource(std::shared_ptr<ProcessSlot> process, const engine::Address& address,
                RecordRef ref);

  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline deadline) override;
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline deadline) override;
  Result<void> drop(const engine::Claim& claim, engine::Deadline deadline) override;

  Result<engine::Value> load(engine::Deadline deadline) override;
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline deadline) override;
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket,
                                     engine::Deadline deadline) override;

  Result<engine::Watch> watch(const engine::Waker& waker,
                              engine::Deadline deadline) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline deadline) override;
  Result<void> evict(std::string_view owner, engine::Deadline deadline) override;

  // Session::renew calls this.
  Result<engine::Granted> renew(const engine::Claim& claim, engine::Deadline deadline);

 private:
  Segment& segment() const noexcept { return process_->segment(); }
  SessionId me() const noexcept { return process_->me(); }
  std::string quoted() const;  // the name in quotes, for messages
  RecordRef ref() const noexcept;
  std::uint64_t word_of(const engine::Claim& claim) const noexcept {
    return owned_word(me(), static_cast<std::uint64_t>(claim.ticket));
  }
  Record& record_at(RecordRef ref) const noexcept {
    return segment().known<Record>(ref.record);
  }

  // Runs body(RecordGuard&) under the record's guard, and looks the name up again if
  // its record has moved.
  template <class T, class F>
  Result<T> inside(engine::Deadline deadline, F&& body) {
    for (;;) {
      if (!process_->present()) return process_->why_absent();
      {
        RecordGuard guard(segment(), ref(), me(), deadline);
        if (guard.entered()) {
          auto done = body(guard);
          if (segment().damaged()) return segment().why_damaged();
          return done;
        }
        if (!guard.moved()) return stuck(segment(), guard.record().guard);
      }
      if (auto found = find_again(deadline); !found) return found.error();
    }
  }
  Result<void> find_again(engine::Deadline deadline);

  Result<engine::Verdict> queue(const engine::Claim& claim, const engine::Waker& waker,
                                engine::Deadline deadline);
  Result<void> store_capacity(std::uint32_t capacity, engine::Deadline deadline);
  Result<engine::Verdict> enqueue(const engine::Claim& claim,
                                  const engine::Waker& waker, BlockIndex cell,
                                  engine::Deadline deadline);
  Result<BlockIndex> new_cell(const engine::Claim& claim);
  void free_cell(std::uint64_t ticket, BlockIndex cell) noexcept;
  void recycle(BlockIndex cell) noexcept;
  Result<engine::Verdict> outcome_of(const engine::Claim& claim, BlockIndex cell,
                                     engine::Deadline deadline);
  Result<engine::Verdict> verdict_of(BlockIndex cell) const;
  engine::Blocked blocked(const RecordGuard& guard, BlockIndex cell) const;
  Failure not_held() const;
  Failure wrong_kind() const;
  Failure too_many(std::uint32_t permits, std::int64_t capacity) const;

  engine::Value value_of(const RecordGuard& guard) const noexcept;
  void set_value(RecordGuard& guard, BlockIndex cell,
                 std::optional<std::int64_t> to) noexcept;
  template <class F>
  Result<engine::Exchanged> change(engine::Ticket ticket, engine::Deadline deadline,
                                   F&& rule);

  const std::shared_ptr<ProcessSlot> process_;
  const std::unique_ptr<char[]> name_;  // A name contains no NUL.
  const engine::Kind kind_;
  const bool plain_kind_;
  std::atomic<std::uint64_t> ref_;
  std::atomic<bool> capacity_stored_{false};  // for a semaphore
};

}  // namespace holdfast::local

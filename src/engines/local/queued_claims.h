// SPDX-License-Identifier: Apache-2.0

// engines/local/queued_claims.h - the claims of a session that have a cell, by ticket.
//
// A session may have very many that wait. What is done for one of them, and at one tick
// of the liveness thread, costs the same however many there are.

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "engines/local/memory/layout.h"
#include "holdfast/engine/claim.h"

namespace holdfast::local {

// The class is not safe for concurrent use.
class QueuedClaims {
 public:
  struct Queued {
    BlockIndex cell = 0;
    engine::Waker waker;    // null unless the claim waits
    BlockIndex record = 0;  // for which it waits
  };

  // Needs no memory for a claim that is noted already.
  void note(std::uint64_t ticket, BlockIndex cell) {
    Queued& queued = claims_[ticket];
    if (queued.waker != nullptr) --waiting_;
    queued = {cell, nullptr, 0};
  }

  // From now on the claim waits. Returns false if it was not noted.
  bool await(std::uint64_t ticket, engine::Waker waker, BlockIndex record) noexcept {
    const auto found = claims_.find(ticket);
    if (found == claims_.end()) return false;
    if (found->second.waker == nullptr) ++waiting_;
    found->second.waker = std::move(waker);
    found->second.record = record;
    return true;
  }

  BlockIndex cell_of(std::uint64_t ticket) const noexcept {
    const auto found = claims_.find(ticket);
    return found == claims_.end() ? 0 : found->second.cell;
  }

  void forget(std::uint64_t ticket) noexcept {
    const auto found = claims_.find(ticket);
    if (found == claims_.end()) return;
    if (found->second.waker != nullptr) --waiting_;
    claims_.erase(found);
  }

  bool any_waits() const noexcept { return waiting_ != 0; }

  // These call `look(queued)` for claims that wait. If it returns false, the claim does
  // not wait any more, and its waker is forgotten.
  template <class Look>
  void look_at(std::uint64_t ticket, const Look& look) noexcept {
    const auto found = claims_.find(ticket);
    if (found != claims_.end()) look_at(found->second, look);
  }
  template <class Look>
  void look_at_all(const Look& look) noexcept {
    for (auto& [ticket, queued] : claims_) look_at(queued, look);
  }
  // Looks at about `most` of them; the next call goes on from there.
  template <class Look>
  void look_at_some(std::size_t most, const Look& look) noexcept {
    const std::size_t buckets = claims_.bucket_count();
    std::size_t looked = 0;
    for (std::size_t i = 0; i < buckets && looked < most; ++i) {
      if (next_bucket_ >= buckets) next_bucket_ = 0;
      const auto end = claims_.end(next_bucket_);
      for (auto at = claims_.begin(next_bucket_); at != end; ++at, ++looked) {
        look_at(at->second, look);
      }
      ++next_bucket_;
    }
  }

 private:
  template <class Look>
  void look_at(Queued& queued, const Look& look) noexcept {
    if (queued.waker == nullptr || look(queued)) return;
    queued.waker = nullptr;
    --waiting_;
  }

  std::unordered_map<std::uint64_t, Queued> claims_;
  std::size_t waiting_ = 0;
  std::size_t next_bucket_ = 0;  // where the next look at some of them begins
};

}  // namespace holdfast::local

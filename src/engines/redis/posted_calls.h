// SPDX-License-Identifier: Apache-2.0

// engines/redis/posted_calls.h - the calls of claims that are answered later.

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "engines/redis/transport/posting.h"
#include "engines/redis/transport/servers.h"
#include "holdfast/engine/claim.h"

namespace holdfast::redis {

// A ticket has at most one call at a time. The calls of one ticket come one after the
// other; the class is safe for concurrent use otherwise.
class PostedCalls {
 public:
  enum class Verb : std::uint8_t { attempt, drop };
  enum class State : std::uint8_t { none, under_way, answered };

  // An answer stays where it is until it is forgotten.
  struct Answer {
    const Reply& reply;
    const std::optional<Failure>& why;  // that there is no reply
    Clock::time_point sent;
  };

  PostedCalls() = default;
  PostedCalls(const PostedCalls&) = delete;
  PostedCalls& operator=(const PostedCalls&) = delete;

  // Sends a command, of which `waker` rings when it is answered. Returns false if it
  // cannot be sent without waiting.
  bool post(engine::Ticket ticket, Verb verb, std::string_view command,
            Servers& servers, Slot slot, const engine::Waker& waker,
            engine::Deadline until);

  State look(engine::Ticket ticket, Verb verb) const;

  // REQUIRES: it is answered.
  Answer answer(engine::Ticket ticket) const;

  // Forgets the call of this ticket, if it has one, and returns what became of it. The
  // request of a call that is under way may still be carried out.
  State forget(engine::Ticket ticket) noexcept;

 private:
  // `PostedCalls::mutex_` guards what is not the posting's.
  struct Call final : Posting {
    explicit Call(PostedCalls& owner) noexcept : calls(owner) {}
    void ended(const Result<void>& outcome) noexcept override {
      calls.ended(*this, outcome);
    }

    PostedCalls& calls;
    engine::Ticket ticket{};  // by which it is found
    Verb verb{};
    bool answered = false;
    Clock::time_point sent{};
    std::optional<Failure> why;
    engine::Waker waker;  // null if the call is answered or forgotten
  };
  using Table = std::unordered_map<engine::Ticket, Call>;

  void ended(Call& call, const Result<void>& outcome) noexcept;
  Call& add(engine::Ticket ticket) HOLDFAST_REQUIRES(mutex_);
  void put_away(Table::iterator call) noexcept HOLDFAST_REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  Table calls_ HOLDFAST_GUARDED_BY(mutex_);
  // Calls to be used again, with the memory of their commands and replies.
  std::vector<Table::node_type> spare_ HOLDFAST_GUARDED_BY(mutex_);
  std::uint64_t forgotten_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::atomic<std::size_t> count_{0};
};

}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/pipeline.h - requests in the order of their replies. It does
// no I/O.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engines/redis/transport/reply.h"
#include "engines/redis/transport/thread_parker.h"
#include "holdfast/engine/claim.h"

namespace holdfast::redis {

class Posting;

// A request belongs to its caller, and lives until it has ended.
struct Request {
  enum class End { answered, lost, unsent };

  std::string_view unsent;           // the part of its commands that is not sent
  std::span<Reply> replies;          // one for each command
  engine::Deadline until{};          // the caller's deadline
  engine::Deadline connect_until{};  // the deadline for connecting
  bool patient = true;             // The caller waits long enough to judge whether the
                                   // connection is dead.
  int connects = 0;                // connections that were made for it
  bool sent = false;               // At least one byte has been sent.
  std::uint64_t reads_before = 0;  // the connection's count of reads when it was sent
  bool leads = false;              // The caller reads for all.
  bool away = false;               // The caller does something else and cannot lead.
  Clock::time_point sent_at{};     // when its caller went away
  std::optional<End> end{};        // Nothing means that it is still in the pipeline.
  std::optional<Failure> why{};
  ThreadParker parker{};       // The caller sleeps here while another caller leads.
  Posting* posting = nullptr;  // is told of the end, in place of a caller that waits

  // The following members belong to Pipeline.
  std::size_t filled = 0;   // how many of `replies` are filled
  std::size_t orphans = 0;  // replies after its own whose callers have left
  Request* previous = nullptr;
  Request* next = nullptr;
  Request* also_ended = nullptr;
};

// The class is not safe for concurrent use.
class Pipeline {
 public:
  Request* first() const noexcept;
  bool idle() const noexcept;

  void append(Request& request) noexcept;

  // Returns what is to be sent next, or a part of it.
  std::span<const std::string_view> unsent() noexcept;
  bool all_sent() const noexcept;
  void sent(std::size_t bytes, std::uint64_t reads_before) noexcept;

  // Gives the reply to the request whose turn it is, in exchange for what is in its
  // place there. Returns false if no request awaits a reply.
  bool accept(Reply& reply) noexcept;

  // Removes a request whose caller leaves, or ends a posting. If a part of it has been
  // sent, the rest is still sent, and its replies are discarded.
  void abandon(Request& request);

  // Ends a request that was not sent and will not be.
  void refuse(Request& request, Failure why) noexcept;

  // The connection is gone: every request of which a part was sent is lost, and the
  // others stay.
  void break_off(const Failure& why);

  // Returns the requests that ended since the last call, except those whose callers
  // have left, as a list linked by `also_ended`. Their callers are to be woken.
  Request* take_ended() noexcept;

 private:
  void finish(Request& request, Request::End end) noexcept;
  void remove(Request& request, Request::End end) noexcept;

  Request* first_ = nullptr;
  Request* last_ = nullptr;
  Request* to_send_ = nullptr;  // the first request that is not wholly sent
  std::size_t orphans_ = 0;     // replies before those of the first request
  std::string tail_;            // the rest of a request whose caller has left
  std::array<std::string_view, 64> texts_;  // what `unsent` returns
  Request* ended_ = nullptr;
};

}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

// engines/redis/backend.h - what the resources of one session share: the servers, the
// waiters, what the servers say of themselves and the names of owners.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "engines/redis/errors.h"
#include "engines/redis/layout.h"
#include "engines/redis/names.h"
#include "engines/redis/options.h"
#include "engines/redis/posted_calls.h"
#include "engines/redis/queue_keepalive.h"
#include "engines/redis/transport/script.h"
#include "engines/redis/transport/server_info.h"
#include "engines/redis/transport/servers.h"
#include "engines/redis/wakeups.h"
#include "holdfast/engine/session.h"

namespace holdfast::redis {

// An OwnerName is a claim's owner in Redis, spelt "<uuid>:h<ticket>". It needs no
// memory of its own.
class OwnerName {
 public:
  OwnerName(std::string_view client, engine::Ticket ticket) noexcept;
  operator std::string_view() const noexcept {  // NOLINT: it is this text
    return {text_.data(), size_};
  }

 private:
  std::array<char, 64> text_;
  std::size_t size_;
};

// The class is safe for concurrent use.
class Backend {
 public:
  // Connects once, to read what the servers say of themselves and to refuse those that
  // cannot be used. A server of a cluster that cannot be reached is not missed as long
  // as others can be.
  static Result<std::shared_ptr<Backend>> open(const Options& options,
                                               const engine::SessionOptions& session);

  const Options& options() const noexcept { return options_; }
  const Layout& layout(engine::Kind kind) const noexcept { return layouts_.of(kind); }
  const std::string& payload() const noexcept { return payload_; }
  // Returns what an operator should know, one sentence each, as the servers said it of
  // themselves when the session was opened.
  std::vector<std::string> warnings() const;
  // Returns all servers that were known then, also those that were not asked.
  const std::vector<engine::ServerDescription>& descriptions() const noexcept {
    return descriptions_;
  }
  Servers& servers() noexcept { return *servers_; }
  Waiters& waiters() noexcept { return waiters_; }
  QueueKeepAlive& keepalive() noexcept { return keepalive_; }
  PostedCalls& posted() noexcept { return posted_; }

  // Posts a script whose keys belong to the slot. The reply may be any error.
  bool post(Slot slot, const Invocation& call, engine::Ticket ticket,
            PostedCalls::Verb verb, const engine::Waker& answered,
            engine::Deadline until);

  OwnerName owner(engine::Ticket ticket) const noexcept { return {client_, ticket}; }

  // Returns the lease in whole milliseconds. A lease of zero means the session's own.
  std::int64_t lease_ms(engine::LeaseTime lease) const noexcept;

  // Appends the command that runs a script. The text of the script is sent with it if
  // the deadline has passed: no caller then waits for the answer that the server does
  // not know the script.
  static void write(const Invocation& call, engine::Deadline until, std::string& out);

  // Appends the arguments that only this verb has.
  void add_args(Invocation& call, const Verb& verb, const KeyNames& names, Slot slot,
                const engine::Claim& claim) const;

  // Appends the arguments Arg::channels of a script.
  void add_channels(Invocation& call, const KeyNames& names, Slot slot) const;

  // Calls a script whose keys belong to the slot, and sends its text if the server does
  // not know it yet.
  Result<Reply> call(Slot slot, const Invocation& call, engine::Deadline until);

  // Does the same, and returns an error reply as a failure.
  Result<Reply> run(Slot slot, const Invocation& call, engine::Deadline until);

  // Returns the reply of the server that has the slot, and an error reply as a failure.
  Result<Reply> checked(Slot slot, Result<Reply> reply) const;

  // Repeats a call with the text of its script if `reply` says that the server does not
  // know it. `send` sends what is in `out`, and returns the reply.
  template <class Send>
  static Result<Reply> with_text_if_unknown(Result<Reply> reply, const Invocation& call,
                                            std::string& out, const Send& send) {
    if (reply && reply->view().is_error() && is_no_script(reply->view())) {
      out.clear();
      call.write_in_full(out);
      reply = send();
    }
    return reply;
  }

  // Returns how many replicas have to confirm a lock of this slot.
  int acks(Slot slot) const;

  // Runs a script as `run` does, then waits for `acks` replicas, and sets `acks` to how
  // many have its writes. It is only used where `?ack=` asks for replicas.
  Result<Reply> run_acked(Slot slot, const Invocation& call, std::int64_t& acks,
                          engine::Deadline until);

  // A ticket is in doubt while its attempt may still be on its way to the server: its
  // drop must leave a tombstone, which stops a late attempt. No packet is assumed to
  // arrive later than `kLatestArrival`.
  static constexpr std::chrono::minutes kLatestArrival{5};
  void put_in_doubt(engine::Ticket ticket);
  bool is_in_doubt(engine::Ticket ticket) const;
  void end_doubt(engine::Ticket ticket) noexcept;

 private:
  Backend(const Options& options, const engine::SessionOptions& session);
  Result<void> probe(const Servers::Primary& server, engine::Deadline until);
  std::vector<engine::ServerDescription> describe() const;
  Result<void> may_publish(Slot slot, engine::Deadline until);
  std::string_view publish_command() const noexcept;

  const Options options_;
  const Layouts layouts_;
  const std::string client_;  // this session's uuid
  const std::string payload_;
  const std::chrono::milliseconds ttl_;
  std::vector<ServerInfo> infos_;
  std::vector<engine::ServerDescription> descriptions_;
  PostedCalls posted_;  // The servers tell it of their replies until they are gone.
  const std::unique_ptr<Servers> servers_;
  Waiters waiters_;

  mutable base::Mutex mutex_;
  std::map<engine::Ticket, Clock::time_point> in_doubt_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t look_through_at_ HOLDFAST_GUARDED_BY(mutex_) = 0;  // the size of it
  std::atomic<std::size_t> in_doubt_count_{0};

  QueueKeepAlive keepalive_{*this};  // ends first, because its thread uses the rest
};

}  // namespace holdfast::redis

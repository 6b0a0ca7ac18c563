// engines/redis/backend.h - what the resources of one session share.

#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "engines/redis/bells.h"
#include "engines/redis/facts.h"
#include "engines/redis/options.h"
#include "engines/redis/requests.h"
#include "engines/redis/script.h"
#include "engines/redis/waits.h"
#include "holdfast/engine/session.h"

namespace holdfast::redis {

// Safe for concurrent use.
class Backend {
 public:
  // Connects once, to see what is there.
  static Result<std::shared_ptr<Backend>> open(const Options& options,
                                               const engine::SessionOptions& session);

  const Options& options() const noexcept { return options_; }
  const std::string& payload() const noexcept { return payload_; }
  const Facts& facts() const noexcept { return facts_; }
  Requests& requests() noexcept { return requests_; }
  Waits& waits() noexcept { return waits_; }
  Bells& bells() noexcept { return bells_; }

  // "<uuid>:h<ticket>"
  std::string owner(engine::Ticket ticket) const;

  // In whole milliseconds; zero: the session's.
  std::int64_t lease_ms(engine::Lease lease) const noexcept;

  // Runs a script, which the server need not know yet. An error reply is a failure.
  Result<Reply> run(const Invocation& call, engine::Deadline until);

  // As `run`, and then how many replicas have it. Only where `?ack=` asks for it.
  Result<Reply> run_acked(const Invocation& call, std::int64_t& acks,
                          engine::Deadline until);

  // Tickets whose attempt may still be on its way: their drop must leave a mark that
  // stops it. No packet is on its way for longer than `kLatestArrival`.
  static constexpr std::chrono::minutes kLatestArrival{5};
  void remember_uncertain(engine::Ticket ticket);
  bool is_uncertain(engine::Ticket ticket) const;
  void forget_uncertain(engine::Ticket ticket) noexcept;

 private:
  Backend(const Options& options, const engine::SessionOptions& session);
  Result<void> may_publish(engine::Deadline until);

  const Options options_;
  const std::string client_;  // the uuid
  const std::string payload_;
  const std::chrono::milliseconds ttl_;
  Facts facts_;
  Requests requests_;
  Bells bells_;
  Waits waits_;

  mutable base::Mutex mutex_;
  std::map<engine::Ticket, Clock::time_point> uncertain_ HOLDFAST_GUARDED_BY(mutex_);
  std::atomic<std::size_t> uncertain_count_{0};
};

}  // namespace holdfast::redis

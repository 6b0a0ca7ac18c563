// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/connection.h - one connection, shared by concurrent callers.
//
// The first caller leads: it connects if necessary, and reads for all callers until its
// own answer has arrived. A caller that arrives meanwhile writes its request and sleeps
// until it is answered or is made the next leader. Either way it is woken once.
//
//   closed --lead--> connecting --> open --EOF, error or silence--> closed
//
// Callers that do not wait have a connection of their own, whose thread leads for all
// of them. A caller with many postings writes them together (base/cork.h), and the
// thread of the connection tells of many replies together.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/cork.h"
#include "base/mutex.h"
#include "engines/redis/transport/connector.h"
#include "engines/redis/transport/pipeline.h"
#include "engines/redis/transport/posting.h"
#include "engines/redis/transport/reply.h"
#include "engines/redis/transport/stream.h"

namespace holdfast::redis {

// The class is safe for concurrent use.
class alignas(64) Connection final : public std::enable_shared_from_this<Connection>,
                                     public base::Cork::Outlet {
 public:
  explicit Connection(Connector& connector) : connector_(connector) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // A caller announces itself before `call` by `enter_idle` or `join`, and calls
  // `leave` after it.
  bool enter_idle() noexcept;
  void join() noexcept;
  void leave() noexcept;
  int users() const noexcept;
  bool open() const noexcept;

  // Requests::call explains this.
  Result<void> call(std::string_view commands, std::span<Reply> replies,
                    engine::Deadline until) HOLDFAST_EXCLUDES(mutex_);

  // These make a call in two halves. `send` needs an open connection; false means that
  // nothing was sent. Until `finish` or `forget` the caller is away: others read for
  // it, but it does not read for others, except in `is_ended`, which does not wait.
  bool send(Request& mine) HOLDFAST_EXCLUDES(mutex_);
  bool is_ended(Request& mine) HOLDFAST_EXCLUDES(mutex_);
  Result<void> finish(Request& mine, engine::Deadline until) HOLDFAST_EXCLUDES(mutex_);
  void forget(Request& mine) HOLDFAST_EXCLUDES(mutex_);
  int fd() HOLDFAST_EXCLUDES(mutex_);  // -1 means that there is no connection

  // Requests::post explains this. REQUIRES: a thread is in `serve`, and a shared_ptr
  // owns the connection.
  void post(Posting& posting, engine::Deadline until) HOLDFAST_EXCLUDES(mutex_);

  // Leads for postings, until `stop` is called. All of them have ended then.
  void serve() HOLDFAST_EXCLUDES(mutex_);
  void stop() HOLDFAST_EXCLUDES(mutex_);

  // Writes the postings, if it is not stopped.
  void flush() noexcept override HOLDFAST_EXCLUDES(mutex_);

  // Ends the connection, and loses the requests that were sent. The next call connects
  // anew.
  void disconnect() HOLDFAST_EXCLUDES(mutex_);

 private:
  bool begin(Request& mine, Clock::time_point now) HOLDFAST_EXCLUDES(mutex_);
  void follow(Request& mine) HOLDFAST_EXCLUDES(mutex_);
  Request* lead(Request& mine) noexcept HOLDFAST_REQUIRES(mutex_);
  Request* stop_leading() HOLDFAST_REQUIRES(mutex_);
  Result<void> outcome_of(Request& ended) const noexcept;
  void wake(Request* ended, const Request* mine) const noexcept;
  void serve_once(base::MutexLock& lock) HOLDFAST_REQUIRES(mutex_);
  void wait_for_posting(base::MutexLock& lock) HOLDFAST_REQUIRES(mutex_);
  void give_up_overdue() HOLDFAST_REQUIRES(mutex_);
  void refuse_all() noexcept HOLDFAST_REQUIRES(mutex_);
  bool exchange(engine::Deadline until, const Request* mine) HOLDFAST_REQUIRES(mutex_);
  void connect(Request& mine) HOLDFAST_REQUIRES(mutex_);
  void read(Request& mine) HOLDFAST_REQUIRES(mutex_);
  void take_arrived() HOLDFAST_REQUIRES(mutex_);
  void write() noexcept HOLDFAST_REQUIRES(mutex_);
  void write_all() HOLDFAST_REQUIRES(mutex_);
  void parse(std::string_view bytes) HOLDFAST_REQUIRES(mutex_);
  void give_up(Request& mine) noexcept HOLDFAST_REQUIRES(mutex_);
  void abandon(Request& mine) noexcept HOLDFAST_REQUIRES(mutex_);
  void run_out_of_memory(Request* mine) noexcept HOLDFAST_REQUIRES(mutex_);
  void look_for_end(Clock::time_point now) noexcept HOLDFAST_REQUIRES(mutex_);
  void hang_up(std::string_view why) noexcept HOLDFAST_REQUIRES(mutex_);
  void close() HOLDFAST_REQUIRES(mutex_);

  Connector& connector_;
  std::atomic<int> users_{0};
  std::atomic<bool> open_{false};

  base::Mutex mutex_;
  bool led_ HOLDFAST_GUARDED_BY(mutex_) = false;
  Pipeline pipeline_ HOLDFAST_GUARDED_BY(mutex_);
  std::unique_ptr<Stream> stream_ HOLDFAST_GUARDED_BY(mutex_);
  std::optional<ReplyReader> reader_ HOLDFAST_GUARDED_BY(mutex_);
  // If it is set, stream_ cannot be used any more.
  std::optional<std::string> why_ended_ HOLDFAST_GUARDED_BY(mutex_);
  // This counts the reads that brought bytes.
  std::uint64_t reads_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  Clock::time_point last_used_ HOLDFAST_GUARDED_BY(mutex_);
  std::uint32_t breaks_seen_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  // This is the connector's generation when stream_ was made.
  std::uint32_t generation_ HOLDFAST_GUARDED_BY(mutex_) = 0;

  // These are for postings.
  base::CondVar posted_;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool awaits_posting_ HOLDFAST_GUARDED_BY(mutex_) =
      false;                                           // The thread awaits `posted_`.
  bool lingered_ HOLDFAST_GUARDED_BY(mutex_) = false;  // since the last posting
  // No deadline of a posting is before this.
  engine::Deadline earliest_ HOLDFAST_GUARDED_BY(mutex_) = engine::Deadline::max();
};

}  // namespace holdfast::redis

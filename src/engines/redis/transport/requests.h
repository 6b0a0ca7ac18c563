// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/requests.h - sends commands and returns their replies.
//
// There are a few connections, opened on demand. A caller that finds an idle one writes
// and reads by itself, without a thread hand-off. When all are busy, callers join the
// pipeline of one of them: its leader reads for all callers, and when the leader has
// its own answer, another caller becomes the leader.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "base/mutex.h"
#include "engines/redis/transport/connector.h"
#include "engines/redis/transport/pipeline.h"
#include "engines/redis/transport/posting.h"
#include "engines/redis/transport/reply.h"
#include "engines/redis/transport/route.h"
#include "holdfast/engine/claim.h"
#include "holdfast/retry.h"

namespace holdfast::redis {

class Connection;

// The class is safe for concurrent use.
class Requests {
 public:
  static constexpr std::size_t kMostConnections = 8;

  // `reconnected` is called, from any thread and with no mutex held, whenever a
  // connection was made after another one had broken: the server may have lost data.
  // `moved` is called in the same way when a connection was made after another had
  // turned out to lead to a replica: all other connections to the address should be
  // made anew too.
  Requests(Route route, std::function<void()> reconnected,
           std::function<void()> moved = nullptr, const RetryPolicy& retry = {});
  ~Requests();  // No call may be under way.
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  // `commands` holds as many encoded commands as there are replies. The call fills
  // `replies` in order; an error *reply* is a reply. On failure, the replies that had
  // arrived are filled.
  //
  // Errc::unavailable means that nothing was sent. Errc::outcome_unknown means that the
  // commands may have been executed. Errc::denied is about the user or the password.
  // Errc::incompatible and Errc::unsupported mean that the server is not a Redis that
  // can be used. If the deadline has passed, the commands are sent and not awaited
  // (outcome_unknown).
  Result<void> call(std::string_view commands, std::span<Reply> replies,
                    engine::Deadline until);
  Result<Reply> call(std::string_view command, engine::Deadline until);

  // A Sent is a command whose reply is taken later. One thread uses it at a time, and
  // it must not outlive the Requests. If it is destroyed, the reply is discarded.
  class Sent {
   public:
    ~Sent();
    Sent(const Sent&) = delete;
    Sent& operator=(const Sent&) = delete;

    int fd() const noexcept;                     // readable when a reply may be there
    bool is_ready();                             // does not wait
    Result<Reply> take(engine::Deadline until);  // once, as `call` does

   private:
    friend class Requests;
    Sent(Connection& entered, std::string command);

    Connection& connection_;  // is left at the end
    const std::string command_;
    Reply reply_;
    Request request_;
    bool is_sent_ = false;  // and its reply was not taken
  };

  // Sends the command on an open connection that no other caller uses. Null means that
  // there is none, and nothing was sent.
  std::unique_ptr<Sent> send(std::string command);

  // Sends the posting's command and returns at once. `Posting::ended` is called when
  // the reply has come, or soon after the deadline. Returns false, and does not call
  // it, if the system has no thread to read the replies. Postings have a connection of
  // their own; those that come while a reply is awaited are sent together. A posting
  // that is not answered when this object is destroyed ends then.
  bool post(Posting& posting, engine::Deadline until);

  // Makes all connections anew, because the route leads to another server. The outcome
  // of calls under way is not known.
  void reconnect();

 private:
  bool start_reader() HOLDFAST_EXCLUDES(mutex_);
  Connection& enter();

  Connector connector_;
  std::array<std::unique_ptr<Connection>, kMostConnections> connections_;

  // A thread that posts may still have to flush it when this object is gone.
  const std::shared_ptr<Connection> posted_;
  base::Mutex mutex_;
  std::atomic<bool> reads_{false};  // whether the reader has been started
  std::thread reader_;
};

}  // namespace holdfast::redis

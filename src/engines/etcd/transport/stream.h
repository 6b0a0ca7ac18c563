// SPDX-License-Identifier: Apache-2.0

// engines/etcd/transport/stream.h - a bidirectional stream that lasts as long as the
// session: when it breaks, it is opened again, at another member if there is one.

#pragma once

#include <google/protobuf/message_lite.h>

#include <deque>
#include <memory>
#include <string>

#include "base/backoff.h"
#include "base/mutex.h"
#include "engines/etcd/transport/calls.h"
#include "engines/etcd/transport/channels.h"
#include "engines/etcd/transport/event_loop.h"

namespace holdfast::etcd {

class Stream final : public PeriodicJob {
 public:
  using Message = google::protobuf::MessageLite;

  // These are called in the loop's thread, with nothing locked.
  class Handler {
   public:
    virtual ~Handler() = default;
    virtual void on_open() = 0;
    virtual void on_message(const Message& message) = 0;
    virtual void on_break() = 0;  // requests without an answer are lost
  };

  // `answer` is an empty message of the type that the server sends.
  Stream(EventLoop& loop, Channels& channels, Calls& calls, std::string method,
         std::unique_ptr<Message> answer, Handler& handler);
  ~Stream() override;

  // These may be called from any thread.
  void keep_open();  // opens the stream, and keeps it open
  // Does nothing while the stream is not open. `more`: another message follows at once,
  // and both are sent together.
  void send(std::unique_ptr<Message> message, bool more = false);
  void restart();            // opens another stream, at the next member
  Calls::AuthToken token();  // with which the stream was opened
  void reopen_with(
      const Calls::AuthToken& token);  // opens another stream, if the token is new

  Clock::time_point work() override;
  bool stop() override;

 private:
  struct Call;
  void open() HOLDFAST_REQUIRES(mutex_);
  void write_next() HOLDFAST_REQUIRES(mutex_);
  void finish() HOLDFAST_REQUIRES(mutex_);
  void on_started(bool ok);
  void on_read(bool ok);
  void on_written(bool ok);
  void on_finished(bool ok);
  void clear_away();

  EventLoop& loop_;
  Channels& channels_;
  Calls& calls_;
  const std::string method_;
  const std::unique_ptr<Message> answer_;
  Handler& handler_;

  base::Mutex mutex_;
  bool keeps_open_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Call> call_ HOLDFAST_GUARDED_BY(mutex_);
  std::deque<std::unique_ptr<Message>> unsent_ HOLDFAST_GUARDED_BY(mutex_);
  Clock::time_point open_at_ HOLDFAST_GUARDED_BY(mutex_){};
  base::Backoff backoff_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::etcd

// engines/etcd/transport/stream.h - messages in both directions, for as long as there
// is a session: a stream that breaks is opened again, at another member if there is
// one.

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

class Stream final : public Worker {
 public:
  using Message = google::protobuf::MessageLite;

  // Called in the loop's thread, with nothing locked.
  class Handler {
   public:
    virtual ~Handler() = default;
    virtual void on_open() = 0;
    virtual void on_message(const Message& message) = 0;
    virtual void on_break() = 0;  // what was sent and not answered is lost
  };

  // `answer`: an empty message of those that will be heard.
  Stream(EventLoop& loop, Channels& channels, Calls& calls, std::string method,
         std::unique_ptr<Message> answer, Handler& handler);
  ~Stream() override;

  // From any thread.
  void want();                                  // from now on it shall be open
  void send(std::unique_ptr<Message> message);  // nothing while it is not open
  void restart();            // it does not answer: open another, at the next member
  Calls::AuthToken token();  // with which it was opened
  void reopen_with(
      const Calls::AuthToken& token);  // opens another, if that is a new one

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
  bool wanted_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Call> call_ HOLDFAST_GUARDED_BY(mutex_);
  std::deque<std::unique_ptr<Message>> unsent_ HOLDFAST_GUARDED_BY(mutex_);
  Clock::time_point open_at_ HOLDFAST_GUARDED_BY(mutex_){};
  base::Backoff backoff_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::etcd

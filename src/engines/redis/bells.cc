#include "engines/redis/bells.h"

#include <poll.h>

#include <optional>
#include <thread>
#include <utility>

#include "base/backoff.h"
#include "base/descriptor.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "base/time_left.h"
#include "engines/redis/command.h"
#include "engines/redis/handshake.h"
#include "engines/redis/socket.h"
#include "engines/redis/subscriptions.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using engine::Deadline;

constexpr auto kQuiet = 5s;  // A PING follows such a silence, and its answer may take
                             // as long again.
constexpr auto kDial = 2s;
constexpr auto kDeaf = 1s;  // After this time without a subscription, waiters are told
                            // to look for themselves.

}  // namespace

// A caller that subscribes writes the command itself; the thread connects and reads.
class Bells::Thread {
 public:
  Thread(Place place, const RetryPolicy& retry)
      : place_(std::move(place)), retry_(retry) {}

  ~Thread() {
    {
      base::MutexLock lock(mutex_);
      stopping_ = true;
      if (stream_) stream_->hang_up();
      stopped_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

  bool hears(const std::string& channel) const {
    base::MutexLock lock(mutex_);
    return subscriptions_.hears(channel);
  }

  Result<void> listen(const std::string& name, std::shared_ptr<Listener> listener,
                      Deadline until) {
    base::MutexLock lock(mutex_);
    if (!thread_.joinable()) {
      thread_ = base::start_thread("hf-redis-bells", [this] { run(); });
    }
    const auto channel = subscriptions_.listen(name, std::move(listener), out_);
    write();
    while (channel->state != Channel::State::hears) {
      if (channel->refused) return *channel->refused;
      const auto left = base::time_left(until);
      if (left == 0ns) {
        channel->gap = true;
        return why_deaf_ ? *why_deaf_
                         : cannot_reach(place_, "it does not confirm a subscription");
      }
      channel->changed.wait_for(lock, left);
    }
    return {};
  }

  void forget(const std::string& name, const Listener& listener) {
    std::shared_ptr<Listener> gone;  // It is destroyed after the mutex is released.
    base::MutexLock lock(mutex_);
    gone = subscriptions_.forget(name, listener, Clock::now(), out_);
    write();
  }

  void reconnect() {
    base::MutexLock lock(mutex_);
    if (stream_) stream_->hang_up();
  }

 private:
  void run() {
    base::Backoff backoff(retry_);
    base::MutexLock lock(mutex_);
    while (!stopping_) {
      const auto deaf_since = Clock::now();
      for (bool told = false; !stopping_ && !connect();) {
        stopped_.wait_for(lock, backoff.failed());
        if (told || Clock::now() - deaf_since < kDeaf) continue;
        subscriptions_.tell_missed();
        told = true;
      }
      const auto connected = Clock::now();
      while (!stopping_ && hear()) {
      }
      disconnect();
      if (Clock::now() - connected > kQuiet) backoff.reset();
    }
  }

  bool connect() HOLDFAST_REQUIRES(mutex_) {
    mutex_.unlock();
    auto stream = open_stream(place_, Clock::now() + kDial);
    mutex_.lock();
    if (!stream) {
      why_deaf_ = stream.error();
      // Those who wait need not wait for this process to close something.
      if (!base::can_open_more()) subscriptions_.refuse(*why_deaf_);
      return false;
    }
    why_deaf_.reset();
    stream_ = *std::move(stream);
    reader_.emplace();
    out_.clear();
    heard_at_ = Clock::now();
    pinged_ = false;
    subscriptions_.begin_again(out_);
    write();
    return true;
  }

  void disconnect() HOLDFAST_REQUIRES(mutex_) {
    stream_.reset();
    out_.clear();
    subscriptions_.broke();
  }

  // Returns false when the connection cannot be used any more.
  bool hear() HOLDFAST_REQUIRES(mutex_) {
    const auto now = Clock::now();
    if (now - heard_at_ >= kQuiet * (pinged_ ? 2 : 1)) {
      if (pinged_) return false;
      Command(out_, 1).add("PING");
      pinged_ = true;
    }
    subscriptions_.sweep(now, out_);
    if (!write()) return false;

    const short events = out_.empty() ? POLLIN : POLLIN | POLLOUT;
    const auto until = heard_at_ + kQuiet * (pinged_ ? 2 : 1);
    Stream& stream = *stream_;  // Only this thread replaces the stream.
    mutex_.unlock();
    poll_until(stream.fd(), events, until);
    stream.await(false, Deadline::min());
    mutex_.lock();
    return read();
  }

  bool read() HOLDFAST_REQUIRES(mutex_) {
    for (;;) {
      const auto bytes = stream_->take();
      if (!bytes || !reader_->feed(*bytes)) return false;
      if (bytes->empty()) return true;
      heard_at_ = Clock::now();
      pinged_ = false;
      for (;;) {
        const auto reply = reader_->next();
        if (!reply) return false;
        if (!*reply) break;
        if (!subscriptions_.take((*reply)->view())) return false;
      }
    }
  }

  bool write() HOLDFAST_REQUIRES(mutex_) {
    if (!stream_ || out_.empty()) return true;
    const auto sent = stream_->give(out_);
    if (!sent) return false;
    out_.erase(0, *sent);
    return true;
  }

  const Place place_;
  const RetryPolicy retry_;
  mutable base::Mutex mutex_;
  base::CondVar stopped_;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::thread thread_ HOLDFAST_GUARDED_BY(mutex_);
  Subscriptions subscriptions_ HOLDFAST_GUARDED_BY(mutex_);
  std::unique_ptr<Stream> stream_ HOLDFAST_GUARDED_BY(mutex_);
  std::optional<ReplyReader> reader_ HOLDFAST_GUARDED_BY(mutex_);
  std::string out_ HOLDFAST_GUARDED_BY(mutex_);
  std::optional<Failure> why_deaf_ HOLDFAST_GUARDED_BY(mutex_);
  Clock::time_point heard_at_ HOLDFAST_GUARDED_BY(mutex_);
  bool pinged_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

Bells::Bells(Place place, const RetryPolicy& retry)
    : thread_(std::make_unique<Thread>(std::move(place), retry)) {}

Bells::~Bells() = default;

bool Bells::hears(const std::string& channel) const { return thread_->hears(channel); }

Result<void> Bells::listen(const std::string& channel,
                           std::shared_ptr<Listener> listener, engine::Deadline until) {
  return thread_->listen(channel, std::move(listener), until);
}

void Bells::forget(const std::string& channel, const Listener& listener) noexcept {
  thread_->forget(channel, listener);
}

void Bells::reconnect() noexcept { thread_->reconnect(); }

}  // namespace holdfast::redis

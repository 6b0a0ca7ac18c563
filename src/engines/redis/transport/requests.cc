// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/requests.h"

#include <array>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/thread.h"
#include "engines/redis/transport/connection.h"
#include "engines/redis/transport/connector.h"

namespace holdfast::redis {
namespace {

// The caller has entered the connection, which is left at the end.
class SentRequest final : public Requests::Sent {
 public:
  SentRequest(Connection& connection, std::string command)
      : connection_(connection), command_(std::move(command)) {
    request_.unsent = command_;
    request_.replies = std::span(&reply_, 1);
    is_sent_ = connection_.send(request_);
  }
  ~SentRequest() override {
    if (is_sent_) connection_.forget(request_);
    connection_.leave();
  }
  SentRequest(const SentRequest&) = delete;
  SentRequest& operator=(const SentRequest&) = delete;

  bool is_sent() const noexcept { return is_sent_; }
  int fd() const noexcept override { return connection_.fd(); }
  bool is_ready() override { return connection_.is_ended(request_); }
  Result<Reply> take(engine::Deadline until) override {
    is_sent_ = false;
    auto done = connection_.finish(request_, until);
    if (!done) return std::move(done).error();
    return std::move(reply_);
  }

 private:
  Connection& connection_;
  const std::string command_;
  Reply reply_;
  Request request_;
  bool is_sent_ = false;  // and its reply was not taken
};

}  // namespace

class Requests::Pool {
 public:
  Pool(Route route, std::function<void()> reconnected, std::function<void()> moved,
       const RetryPolicy& retry)
      : connector_(std::move(route), std::move(reconnected), std::move(moved), retry) {
    for (auto& connection : connections_)
      connection = std::make_unique<Connection>(connector_);
  }

  ~Pool() {
    if (!reader_.joinable()) return;
    posted_->stop();
    reader_.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  bool post(Posting& posting, engine::Deadline until) {
    if (!reads_.load(std::memory_order_acquire) && !start_reader()) return false;
    posted_->post(posting, until);
    return true;
  }

  Result<void> call(std::string_view commands, std::span<Reply> replies,
                    engine::Deadline until) {
    auto done = call_on(enter(), commands, replies, until);
    if (done || done.error().code != Errc::unavailable) return done;
    // Nothing was sent. The server may have reached its limit of connections, so a
    // connection that is already open is used instead.
    for (const auto& connection : connections_) {
      if (!connection->open()) continue;
      connection->join();
      return call_on(*connection, commands, replies, until);
    }
    return done;
  }

  std::unique_ptr<Sent> send(std::string command) {
    for (const auto& connection : connections_) {
      if (!connection->open() || !connection->enter_idle()) continue;
      auto sent = std::make_unique<SentRequest>(*connection, std::move(command));
      if (sent->is_sent()) return sent;
      return nullptr;
    }
    return nullptr;
  }

  void reconnect() {
    connector_.begin_generation();
    for (const auto& connection : connections_) connection->disconnect();
    posted_->disconnect();
  }

 private:
  bool start_reader() {
    base::MutexLock lock(mutex_);
    if (reads_.load()) return true;
    try {
      reader_ = base::start_thread("hf-redis-read", [this] { posted_->serve(); });
    } catch (const std::exception&) {
      return false;
    }
    reads_.store(true, std::memory_order_release);
    return true;
  }

  static Result<void> call_on(Connection& connection, std::string_view commands,
                              std::span<Reply> replies, engine::Deadline until) {
    auto done = connection.call(commands, replies, until);
    connection.leave();
    return done;
  }

  // Chooses the connection that this thread used last, another idle one, a new one, or
  // the one with the fewest callers, in this order.
  Connection& enter() {
    thread_local std::size_t last = 0;
    for (const bool open : {true, false}) {
      for (std::size_t i = 0; i < kMostConnections; ++i) {
        Connection& connection = *connections_[(last + i) % kMostConnections];
        if (connection.open() != open || !connection.enter_idle()) continue;
        last = (last + i) % kMostConnections;
        return connection;
      }
    }
    std::size_t best = last;
    for (std::size_t i = 0; i < kMostConnections; ++i) {
      if (connections_[i]->users() < connections_[best]->users()) best = i;
    }
    connections_[best]->join();
    return *connections_[best];
  }

  Connector connector_;
  std::array<std::unique_ptr<Connection>, kMostConnections> connections_;

  // A thread that posts may still have to flush it when the pool is gone.
  const std::shared_ptr<Connection> posted_ = std::make_shared<Connection>(connector_);
  base::Mutex mutex_;
  std::atomic<bool> reads_{false};  // whether the reader has been started
  std::thread reader_;
};

Requests::Requests(Route route, std::function<void()> reconnected,
                   std::function<void()> moved, const RetryPolicy& retry)
    : pool_(std::make_unique<Pool>(std::move(route), std::move(reconnected),
                                   std::move(moved), retry)) {}

Requests::~Requests() = default;

Result<void> Requests::call(std::string_view commands, std::span<Reply> replies,
                            engine::Deadline until) {
  return pool_->call(commands, replies, until);
}

Result<Reply> Requests::call(std::string_view command, engine::Deadline until) {
  Reply reply;
  auto done = pool_->call(command, std::span(&reply, 1), until);
  if (!done) return std::move(done).error();
  return reply;
}

std::unique_ptr<Requests::Sent> Requests::send(std::string command) {
  return pool_->send(std::move(command));
}

bool Requests::post(Posting& posting, engine::Deadline until) {
  return pool_->post(posting, until);
}

void Requests::reconnect() { pool_->reconnect(); }

}  // namespace holdfast::redis

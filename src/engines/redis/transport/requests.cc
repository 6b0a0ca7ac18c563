// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/requests.h"

#include <exception>
#include <utility>

#include "base/thread.h"
#include "engines/redis/transport/connection.h"

namespace holdfast::redis {
namespace {

Result<void> call_on(Connection& entered, std::string_view commands,
                     std::span<Reply> replies, engine::Deadline until) {
  auto done = entered.call(commands, replies, until);
  entered.leave();
  return done;
}

}  // namespace

Requests::Sent::Sent(Connection& entered, std::string command)
    : connection_(entered), command_(std::move(command)) {
  request_.unsent = command_;
  request_.replies = std::span(&reply_, 1);
  is_sent_ = connection_.send(request_);
}

Requests::Sent::~Sent() {
  if (is_sent_) connection_.forget(request_);
  connection_.leave();
}

int Requests::Sent::fd() const noexcept { return connection_.fd(); }

bool Requests::Sent::is_ready() { return connection_.is_ended(request_); }

Result<Reply> Requests::Sent::take(engine::Deadline until) {
  is_sent_ = false;
  auto done = connection_.finish(request_, until);
  if (!done) return std::move(done).error();
  return std::move(reply_);
}

Requests::Requests(Route route, std::function<void()> reconnected,
                   std::function<void()> moved, const RetryPolicy& retry)
    : connector_(std::move(route), std::move(reconnected), std::move(moved), retry),
      posted_(std::make_shared<Connection>(connector_)) {
  for (auto& connection : connections_)
    connection = std::make_unique<Connection>(connector_);
}

Requests::~Requests() {
  if (!reader_.joinable()) return;
  posted_->stop();
  reader_.join();
}

Result<void> Requests::call(std::string_view commands, std::span<Reply> replies,
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

Result<Reply> Requests::call(std::string_view command, engine::Deadline until) {
  Reply reply;
  auto done = call(command, std::span(&reply, 1), until);
  if (!done) return std::move(done).error();
  return reply;
}

std::unique_ptr<Requests::Sent> Requests::send(std::string command) {
  for (const auto& connection : connections_) {
    if (!connection->open() || !connection->enter_idle()) continue;
    std::unique_ptr<Sent> sent(new Sent(*connection, std::move(command)));
    if (sent->is_sent_) return sent;
    return nullptr;
  }
  return nullptr;
}

bool Requests::post(Posting& posting, engine::Deadline until) {
  if (!reads_.load(std::memory_order_acquire) && !start_reader()) return false;
  posted_->post(posting, until);
  return true;
}

bool Requests::start_reader() {
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

void Requests::reconnect() {
  connector_.begin_generation();
  for (const auto& connection : connections_) connection->disconnect();
  posted_->disconnect();
}

// Chooses the connection that this thread used last, another idle one, a new one, or
// the one with the fewest callers, in this order.
Connection& Requests::enter() {
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

}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

#include "support/fault_line.h"

#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace holdfast::test {
namespace {

// Returns false if the other side has closed.
bool receive(const Socket& from, std::string& into) {
  char buffer[65536];
  const ssize_t n = recv(from.fd(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (n > 0) into.append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

bool pass(const Socket& to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(to.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

Socket connect_or_none(std::uint16_t port) {
  try {
    return connect_loopback(port);
  } catch (const std::system_error&) {
    return Socket();
  }
}

}  // namespace

void FaultPlan::set(Fault fault, int calls, int passed, std::string word) {
  const std::lock_guard lock(mutex_);
  fault_ = fault;
  word_ = std::move(word);
  calls_ = calls;
  spared_ = passed;
}

bool FaultPlan::is_over() const {
  const std::lock_guard lock(mutex_);
  return calls_ == 0;
}

Fault FaultPlan::of(const Request& request) {
  const std::lock_guard lock(mutex_);
  Fault fault = Fault::none;
  const bool counts = request.is_call && (word_.empty() || word_ == request.word);
  if (counts && calls_ > 0) {
    if (spared_ > 0) {
      --spared_;
    } else {
      --calls_;
      fault = fault_;
    }
  }
  const bool passes = fault != Fault::lose_request && fault != Fault::throttle;
  if (passes && !request.word.empty()) ++passed_[request.word];
  return fault;
}

void FaultPlan::was_no_call() {
  const std::lock_guard lock(mutex_);
  fault_ = Fault::lose_reply;
  ++calls_;
}

std::map<std::string, int> FaultPlan::passed() const {
  const std::lock_guard lock(mutex_);
  return passed_;
}

FaultLine::FaultLine(Socket client, std::uint16_t server_port,
                     std::unique_ptr<Wire> wire, FaultPlan& plan)
    : plan_(plan),
      client_(std::move(client)),
      server_(connect_or_none(server_port)),
      wire_(std::move(wire)) {}

void FaultLine::freeze(bool on) noexcept {
  frozen_ = on;
  late_ = late_ || on;
}

bool FaultLine::serve(std::chrono::milliseconds delay) {
  if (!server_) return false;
  client_gone_ = !hear_client(delay);
  if (frozen_) return true;
  return pass_requests() && hear_server() && (!client_gone_ || awaits_late_answer());
}

FaultLine::Time FaultLine::due() const noexcept {
  return kept_.empty() ? Time::max() : kept_.front().due;
}

bool FaultLine::hear_client(std::chrono::milliseconds delay) {
  const bool open = receive(client_, from_client_);
  while (!frozen_) {
    const auto request = wire_->request(from_client_);
    if (!request) break;
    const Fault fault = plan_.of(*request);
    if (!late_ || !request->takes_back) {
      std::string bytes = from_client_.substr(0, request->size);
      if (fault == Fault::throttle) bytes = wire_->harmless(bytes);
      kept_.push_back({std::chrono::steady_clock::now() + delay, std::move(bytes),
                       request->id, fault});
    }
    from_client_.erase(0, request->size);
    if (fault == Fault::freeze) freeze(true);
  }
  return open;
}

bool FaultLine::pass_requests() {
  for (; due() <= std::chrono::steady_clock::now(); kept_.pop_front()) {
    if (kept_.front().fault == Fault::lose_request) return false;
    if (const auto id = kept_.front().id) unanswered_.emplace(*id, kept_.front().fault);
    if (!pass(server_, kept_.front().bytes)) return false;
  }
  return true;
}

bool FaultLine::hear_server() {
  if (!receive(server_, from_server_)) return false;
  while (const auto reply = wire_->reply(from_server_)) {
    const Fault fault = fault_of(*reply);
    if (fault == Fault::lose_reply) {
      if (!reply->was_no_call) return false;
      plan_.was_no_call();
    }
    std::string bytes = from_server_.substr(0, reply->size);
    if (fault == Fault::throttle) bytes = wire_->refusal(bytes);
    if (!client_gone_ && !pass(client_, bytes)) return false;
    from_server_.erase(0, reply->size);
  }
  return true;
}

// A server that sees the client go does not begin a request that it has just received.
bool FaultLine::awaits_late_answer() const noexcept {
  return late_ && !unanswered_.empty();
}

Fault FaultLine::fault_of(const Reply& reply) {
  const auto asked = reply.id ? unanswered_.find(*reply.id) : unanswered_.end();
  if (asked == unanswered_.end()) return Fault::none;
  const Fault fault = asked->second;
  unanswered_.erase(asked);
  return fault;
}

}  // namespace holdfast::test

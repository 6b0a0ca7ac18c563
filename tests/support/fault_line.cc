#include "support/fault_line.h"

#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <system_error>
#include <utility>

namespace holdfast::test {
namespace {

std::string first_word(const Resp& request) {
  std::string word = request.items.empty() ? "" : request.items.front().text;
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(toupper(c)); });
  return word;
}

// False: the other side has closed.
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
    return connect_here(port);
  } catch (const std::system_error&) {
    return Socket();
  }
}

}  // namespace

void Fates::set(Fate fate, int calls, int passed) {
  const std::lock_guard lock(mutex_);
  fate_ = fate;
  calls_ = calls;
  spared_ = passed;
}

Fate Fates::of(const Resp& request) {
  const std::string word = first_word(request);
  const bool is_call = word == "EVALSHA" || word == "EVAL";
  const std::lock_guard lock(mutex_);
  Fate fate = Fate::pass;
  if (is_call && calls_ > 0) {
    if (spared_ > 0) {
      --spared_;
    } else {
      --calls_;
      fate = fate_;
    }
  }
  if (fate != Fate::lose_request) ++passed_[word];
  return fate;
}

void Fates::was_no_call() {
  const std::lock_guard lock(mutex_);
  fate_ = Fate::lose_reply;
  ++calls_;
}

std::map<std::string, int> Fates::passed() const {
  const std::lock_guard lock(mutex_);
  return passed_;
}

FaultLine::FaultLine(Socket client, std::uint16_t server_port, Fates& fates)
    : fates_(fates),
      client_(std::move(client)),
      server_(connect_or_none(server_port)) {}

bool FaultLine::serve(std::chrono::milliseconds delay) {
  return server_ && hear_client(delay) && pass_requests() && hear_server();
}

FaultLine::Time FaultLine::due() const noexcept {
  return kept_.empty() ? Time::max() : kept_.front().due;
}

bool FaultLine::hear_client(std::chrono::milliseconds delay) {
  if (!receive(client_, from_client_)) return false;
  for (std::string rest = from_client_; const auto request = take_resp(rest);) {
    const std::size_t size = from_client_.size() - rest.size();
    subscribes_ |= first_word(*request) == "SUBSCRIBE";
    kept_.push_back({std::chrono::steady_clock::now() + delay,
                     from_client_.substr(0, size), fates_.of(*request)});
    from_client_ = rest;
  }
  return true;
}

bool FaultLine::pass_requests() {
  for (; due() <= std::chrono::steady_clock::now(); kept_.pop_front()) {
    if (kept_.front().fate == Fate::lose_request) return false;
    unanswered_.push_back(kept_.front().fate);
    if (!pass(server_, kept_.front().request)) return false;
  }
  return true;
}

bool FaultLine::hear_server() {
  if (!receive(server_, from_server_)) return false;
  if (subscribes_) return pass(client_, std::exchange(from_server_, {}));
  for (std::string rest = from_server_; const auto reply = take_resp(rest);) {
    const Fate fate = unanswered_.empty() ? Fate::pass : unanswered_.front();
    if (!unanswered_.empty()) unanswered_.pop_front();
    if (fate == Fate::lose_reply) {
      if (!reply->text.starts_with("NOSCRIPT")) return false;
      fates_.was_no_call();
    }
    const std::size_t size = from_server_.size() - rest.size();
    if (!pass(client_, std::string_view(from_server_).substr(0, size))) return false;
    from_server_ = rest;
  }
  return true;
}

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "support/resp.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace holdfast::test {
namespace {

// Reads from `at` on. Returns false if more bytes are needed.
bool parse(std::string_view bytes, std::size_t& at, Resp& value) {
  const std::size_t end = bytes.find("\r\n", at);
  if (end == std::string_view::npos) return false;
  value.type = bytes[at];
  value.text = bytes.substr(at + 1, end - at - 1);
  at = end + 2;
  if (std::string_view("+-:$*").find(value.type) == std::string_view::npos) {
    throw std::runtime_error("not the protocol of Redis: " + std::string(bytes));
  }
  if (value.type != '$' && value.type != '*') return true;
  const long count = value.number();
  value.text.clear();
  value.nil = count < 0;
  if (value.nil) return true;
  const auto size = static_cast<std::size_t>(count);
  if (value.type == '$') {
    if (bytes.size() < at + size + 2) return false;
    value.text = bytes.substr(at, size);
    at += size + 2;
    return true;
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (!parse(bytes, at, value.items.emplace_back())) return false;
  }
  return true;
}

}  // namespace

std::string Resp::spelt() const {
  if (nil) return "nil";
  if (type != '*') return text;
  std::string all;
  for (const Resp& each : items) all += (all.empty() ? "" : " ") + each.spelt();
  return all;
}

std::optional<Resp> take_resp(std::string& bytes) {
  std::size_t at = 0;
  Resp value;
  if (bytes.empty() || !parse(bytes, at, value)) return std::nullopt;
  bytes.erase(0, at);
  return value;
}

std::string spell_request(const std::vector<std::string>& words) {
  std::string out = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& each : words) {
    out += "$" + std::to_string(each.size()) + "\r\n" + each + "\r\n";
  }
  return out;
}

RedisSocket::RedisSocket(std::uint16_t port) : socket_(connect_loopback(port)) {}

Resp RedisSocket::call(const std::vector<std::string>& words) {
  send(spell_request(words));
  return read();
}

void RedisSocket::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw std::system_error(errno, std::generic_category(), "send to Redis");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

Resp RedisSocket::read(std::chrono::milliseconds limit) {
  for (;;) {
    if (auto value = take_resp(unread_)) return *std::move(value);
    pollfd readable{socket_.fd(), POLLIN, 0};
    if (poll(&readable, 1, static_cast<int>(limit.count())) == 0) {
      throw std::runtime_error("Redis does not answer");
    }
    char buffer[16384];
    const ssize_t n = recv(socket_.fd(), buffer, sizeof buffer, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw std::runtime_error("Redis closed the connection");
    unread_.append(buffer, static_cast<std::size_t>(n));
  }
}

}  // namespace holdfast::test

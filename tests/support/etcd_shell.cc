// SPDX-License-Identifier: Apache-2.0

#include "support/etcd_shell.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <stdexcept>

#include "support/etcd_json.h"
#include "support/loopback.h"

namespace holdfast::test {
namespace {

EtcdKey key_of(const std::string& json) {
  return {from_base64(field(json, "key").value_or("")),
          from_base64(field(json, "value").value_or("")),
          number(json, "create_revision"), number(json, "mod_revision"),
          number(json, "lease")};
}

// Returns the first key that does not begin with the prefix.
std::string end_of_prefix(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (prefix.empty()) return std::string(1, '\0');
  ++prefix.back();
  return prefix;
}

std::string read_all(const Socket& from, std::chrono::milliseconds limit) {
  std::string all;
  for (;;) {
    pollfd readable{from.fd(), POLLIN, 0};
    char buffer[4096];
    const ssize_t n = poll(&readable, 1, static_cast<int>(limit.count())) > 0
                          ? recv(from.fd(), buffer, sizeof buffer, 0)
                          : -1;
    if (n < 0) throw std::runtime_error("etcd does not answer");
    if (n == 0) return all;
    all.append(buffer, static_cast<std::size_t>(n));
  }
}

}  // namespace

void EtcdShell::sign_on(const std::string& user, const std::string& password) {
  token_.clear();
  const auto answer =
      call("auth/authenticate", object({{"name", user}, {"password", password}}));
  token_ = field(answer, "token").value_or("");
}

std::optional<EtcdKey> EtcdShell::get(std::string_view key) {
  const auto found = items(call("kv/range", object({{"key", to_base64(key)}})), "kvs");
  if (found.empty()) return std::nullopt;
  return key_of(found.front());
}

std::vector<EtcdKey> EtcdShell::below(const std::string& prefix) {
  const std::string first = prefix.empty() ? std::string(1, '\0') : prefix;
  const std::string answer =
      call("kv/range", object({{"key", to_base64(first)},
                               {"range_end", to_base64(end_of_prefix(prefix))}}));
  std::vector<EtcdKey> result;
  for (const std::string& each : items(answer, "kvs")) result.push_back(key_of(each));
  std::ranges::sort(result, {}, &EtcdKey::created);
  return result;
}

void EtcdShell::put(std::string_view key, std::string_view value, std::int64_t lease) {
  call("kv/put", object({{"key", to_base64(key)},
                         {"value", to_base64(value)},
                         {"lease", std::to_string(lease)}}));
}

bool EtcdShell::remove(std::string_view key) {
  const auto answer = call("kv/deleterange", object({{"key", to_base64(key)}}));
  return number(answer, "deleted") != 0;
}

std::int64_t EtcdShell::grant(std::chrono::seconds ttl) {
  return number(call("lease/grant", object({{"TTL", std::to_string(ttl.count())}})),
                "ID");
}

void EtcdShell::revoke(std::int64_t lease) {
  call("lease/revoke", object({{"ID", std::to_string(lease)}}));
}

std::vector<std::int64_t> EtcdShell::leases() {
  std::vector<std::int64_t> result;
  for (const std::string& each : items(call("lease/leases"), "leases")) {
    result.push_back(number(each, "ID"));
  }
  return result;
}

std::int64_t EtcdShell::revision() {
  return number(call("kv/range", object({{"key", to_base64("a")}})), "revision");
}

void EtcdShell::compact() {
  call("kv/compaction",
       R"({"physical":true,"revision":)" + std::to_string(revision()) + "}");
}

void EtcdShell::make_room() {
  call("maintenance/defragment");
  const auto member = field(call("maintenance/status"), "member_id");
  call("maintenance/alarm", object({{"action", "DEACTIVATE"},
                                    {"alarm", "NOSPACE"},
                                    {"memberID", member.value_or("0")}}));
}

bool EtcdShell::leads() {
  try {
    constexpr std::chrono::milliseconds kShort{250};  // The server may be stopped.
    const std::string status = call("maintenance/status", "{}", scaled(kShort));
    return field(status, "leader") == field(status, "member_id");
  } catch (const std::runtime_error&) {
    return false;
  }
}

long EtcdShell::figure(std::string_view name) {
  const std::string line = "\n" + std::string(name) + " ";
  const std::string all = exchange("GET /metrics HTTP/1.0\r\n\r\n", patience());
  const std::size_t at = all.find(line);
  return at == std::string::npos ? 0 : std::stol(all.substr(at + line.size()));
}

std::string EtcdShell::call(std::string_view what, const std::string& json,
                            std::chrono::milliseconds limit) {
  const std::string signature = token_.empty() ? "" : "\r\nAuthorization: " + token_;
  return exchange("POST /v3/" + std::string(what) + " HTTP/1.0\r\nContent-Length: " +
                      std::to_string(json.size()) + signature + "\r\n\r\n" + json,
                  limit);
}

std::string EtcdShell::exchange(const std::string& request,
                                std::chrono::milliseconds limit) const {
  const Socket socket = connect_loopback(port_);
  for (std::size_t done = 0; done < request.size();) {
    const ssize_t n =
        send(socket.fd(), request.data() + done, request.size() - done, MSG_NOSIGNAL);
    if (n < 0) throw std::runtime_error("etcd has hung up");
    done += static_cast<std::size_t>(n);
  }
  const std::string answer = read_all(socket, limit);
  const std::size_t body = answer.find("\r\n\r\n");
  if (body == std::string::npos) throw std::runtime_error("etcd has hung up");
  const bool good = answer.find(" 200 ") < answer.find('\r');
  if (!good)
    throw std::runtime_error(field(answer, "message").value_or("etcd refuses"));
  return answer.substr(body + 4);
}

}  // namespace holdfast::test

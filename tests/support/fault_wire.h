// SPDX-License-Identifier: Apache-2.0

// tests/support/fault_wire.h - reads what passes through a FaultProxy, message by
// message.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::test {

enum class Protocol { redis, zookeeper, etcd, mysql, bytes };  // bytes means any

struct Request {
  std::size_t size;  // in bytes
  // The reply has the same id; nothing means that there is no reply.
  std::optional<std::int64_t> id;
  std::string word;  // what it asks for; empty if it asks for nothing of
                     // its own
  bool is_call;      // fault_proxy.h explains calls.
  // It says that an earlier request is no longer awaited.
  bool takes_back = false;
};

struct Reply {
  std::size_t size;
  std::optional<std::int64_t> id;  // Nothing means that no request asked for it.
  bool was_no_call = false;        // The server has not done anything.
};

// A Wire reads one connection from its first byte on. Each function returns the message
// at the beginning of `bytes`, once, or nothing if it is not complete yet. It throws
// std::runtime_error if the bytes are not of the protocol. The class is not safe for
// concurrent use.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual std::optional<Request> request(const std::string& bytes) = 0;
  virtual std::optional<Reply> reply(const std::string& bytes) = 0;

  // Where a server may refuse a request because it has too much to do: these return a
  // request with the same id that changes nothing, and the refusal in the place of its
  // reply.
  virtual std::string harmless(const std::string& request) const { return request; }
  virtual std::string refusal(const std::string& reply) const { return reply; }
};

std::unique_ptr<Wire> make_redis_wire();
std::unique_ptr<Wire> make_zookeeper_wire();
std::unique_ptr<Wire> make_http2_wire();  // gRPC, as etcd uses it
std::unique_ptr<Wire> make_mysql_wire();
std::unique_ptr<Wire> make_byte_wire();  // passes everything as it comes

}  // namespace holdfast::test

// tests/support/fault_wire.h - what passes through a FaultProxy, message by message.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::test {

enum class Protocol { redis, zookeeper, etcd, mysql, bytes };  // bytes: any

struct Request {
  std::size_t size;                // in bytes
  std::optional<std::int64_t> id;  // its reply has the same; nothing: it has none
  std::string word;                // what it asks for; empty: nothing of its own
  bool is_call;                    // see fault_proxy.h
  bool takes_back = false;         // a request before it, which is not waited for
};

struct Reply {
  std::size_t size;
  std::optional<std::int64_t> id;  // nothing: nobody asked for it
  bool was_no_call = false;        // the server has not done anything
};

// One connection as it is read, from its first byte on: each returns the message at
// the beginning of `bytes`, once; nothing: it is not whole yet. Throws
// std::runtime_error: this is not the protocol. Not safe for concurrent use.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual std::optional<Request> request(const std::string& bytes) = 0;
  virtual std::optional<Reply> reply(const std::string& bytes) = 0;
};

std::unique_ptr<Wire> make_redis_wire();
std::unique_ptr<Wire> make_zookeeper_wire();
std::unique_ptr<Wire> make_http2_wire();  // gRPC, as etcd is spoken to
std::unique_ptr<Wire> make_mysql_wire();
std::unique_ptr<Wire> make_byte_wire();  // all that there is, as it comes

}  // namespace holdfast::test

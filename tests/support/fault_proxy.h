// tests/support/fault_proxy.h - a bad line to a server.
//
//   FaultProxy line(server.port());
//   Client client = Client::open(line.url());
//   line.lose_replies(1);       // the next call is carried out, and not answered
//
// A call to Redis is an EVALSHA or EVAL: what signs on, subscribes or asks about the
// server passes and does not count, and neither does a call that ends in NOSCRIPT. A
// call to ZooKeeper is whatever reads or changes nodes, and one to etcd whatever reads
// or changes keys; leases and streams are none. A call to MySQL is the execution of a
// prepared statement.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "support/fault_wire.h"

namespace holdfast::test {

// One thread, which ends with the object. Safe for concurrent use.
class FaultProxy {
 public:
  explicit FaultProxy(std::uint16_t server_port, Protocol protocol = Protocol::redis);
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;
  ~FaultProxy();

  std::uint16_t port() const noexcept;
  std::string url(std::string_view rest = {}) const;

  // The connection is cut instead of passing the reply, or the request, of the next
  // `calls` after `passed` more. Each replaces what was said before.
  void lose_replies(int calls, int passed = 0);
  void lose_requests(int calls, int passed = 0);

  // Every connection is cut, and no other is let in, until it is switched off.
  void unreachable(bool on);

  // Nothing passes in either direction until `thaw`; then everything arrives, however
  // late (but not the news that an answer is not waited for any more). `freeze_present`
  // freezes the connections that are there; new ones work. `freeze_at_call` freezes one
  // connection, with the next call after `passed` more in it.
  void freeze();
  void freeze_present();
  void freeze_at_call(int passed = 0);
  void thaw();

  // Every request arrives so much later.
  void delay(std::chrono::milliseconds by);

  void cut_all();

  // How many requests have been passed on, by the first word in capitals; of ZooKeeper,
  // by the words in zookeeper_wire.cc; of etcd, by the method: "Txn", "Watch"; of
  // MySQL, by the words in mysql_wire.cc.
  std::map<std::string, int> passed() const;

 private:
  class Loop;
  const std::unique_ptr<Loop> loop_;
};

}  // namespace holdfast::test

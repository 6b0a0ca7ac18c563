// SPDX-License-Identifier: Apache-2.0

// tests/support/fault_proxy.h - an unreliable line to a server.
//
//   FaultProxy line(server.port());
//   Client client = Client::open(line.url()).value();
//   line.lose_replies(1);       // the next call is executed, and not answered
//
// A call to Redis is an EVALSHA or EVAL: commands that sign on, subscribe or ask about
// the server pass and do not count, and neither does a call that ends in NOSCRIPT. A
// call to ZooKeeper is a request that reads or changes nodes, and a call to etcd one
// that reads or changes keys; leases and streams do not count. A call to MySQL is the
// execution of a prepared statement.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "support/fault_wire.h"

namespace holdfast::test {

// The proxy has one thread, which ends with the object. The class is safe for
// concurrent use.
class FaultProxy {
 public:
  explicit FaultProxy(std::uint16_t server_port, Protocol protocol = Protocol::redis);
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;
  ~FaultProxy();

  std::uint16_t port() const noexcept;
  std::string url(std::string_view rest = {}) const;

  // The connection is cut instead of passing the reply, or the request, of the next
  // `calls` calls after `passed` more. Each call of these functions replaces the one
  // before.
  void lose_replies(int calls, int passed = 0);
  void lose_requests(int calls, int passed = 0);

  // ZooKeeper only: the next `calls` calls with this word, after `passed` more of them,
  // are refused as by a server that has too much to do (ZTHROTTLEDOP). A transaction
  // cannot be refused like this.
  void throttle(std::string word, int calls, int passed = 0);

  // Every connection is cut, and no new one is accepted, until it is switched off.
  void unreachable(bool on);

  // Nothing passes in either direction until `thaw`; then everything arrives, however
  // late (except the message that an answer is no longer awaited). `freeze_present`
  // freezes the present connections; new ones work. `freeze_at_call` freezes one
  // connection, with the next call after `passed` more in it.
  void freeze();
  void freeze_present();
  void freeze_at_call(int passed = 0);
  bool froze_at_call() const;  // That call has come.
  void thaw();

  // Every request arrives so much later.
  void delay(std::chrono::milliseconds by);

  void cut_all();

  // Returns how many requests have been passed on: for Redis by the first word in
  // capitals, for ZooKeeper by the words in zookeeper_wire.cc, for etcd by the method
  // ("Txn", "Watch"), for MySQL by the words in mysql_wire.cc.
  std::map<std::string, int> passed() const;

 private:
  class Loop;
  const std::unique_ptr<Loop> loop_;
};

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// tests/unit/engines/redis/transport/scripted_server.h - a server that says what it is
// told to.
//
//   ScriptedServer server([](ScriptedConnection& connection) {
//     connection.greet();                        // as Redis does
//     connection.hear("GET");
//     connection.say("$-1\r\n");
//   });
//   Requests requests(server.endpoint(), nullptr);

#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <thread>

#include "base/mutex.h"
#include "engines/redis/options.h"

namespace holdfast::redis {

// One connection, on a thread of its own. It ends with its script.
class ScriptedConnection {
 public:
  ScriptedConnection(int fd, int number) : fd_(fd), number_(number) {}

  int number() const noexcept { return number_; }  // from 1
  void greet();
  bool hear(std::string_view prefixes);  // reads until they came; false: it is over
  void say(std::string_view bytes);
  void linger();  // until the client leaves

 private:
  const int fd_;
  const int number_;
  std::string heard_;
};

class ScriptedServer {
 public:
  explicit ScriptedServer(std::function<void(ScriptedConnection&)> script);
  ~ScriptedServer();  // ends all connections

  Endpoint endpoint() const;
  int connections() const noexcept { return connections_.load(); }

 private:
  void serve();

  const std::function<void(ScriptedConnection&)> script_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_{0};
  base::Mutex mutex_;
  std::list<int> open_ HOLDFAST_GUARDED_BY(mutex_);
  std::list<std::thread> threads_;
  std::thread door_;
};

}  // namespace holdfast::redis

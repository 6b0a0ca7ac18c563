// SPDX-License-Identifier: Apache-2.0

// tests/support/fault_line.h - one connection through a FaultProxy.

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "support/fault_wire.h"
#include "support/loopback.h"

namespace holdfast::test {

enum class Fault { none, lose_request, lose_reply, freeze, throttle };

// The plan decides what happens to the calls of all lines. The class is safe for
// concurrent use.
class FaultPlan {
 public:
  // `word` is what the calls ask for; if it is empty, all count.
  void set(Fault fault, int calls, int passed, std::string word = {});
  Fault of(const Request& request);
  // The request that was to be lost was no call, so the next one is lost.
  void was_no_call();
  bool is_over() const;  // It has happened to all calls that it was set for.
  std::map<std::string, int> passed() const;

 private:
  mutable std::mutex mutex_;
  Fault fault_ = Fault::none;
  std::string word_;
  int calls_ = 0;   // the number of calls to which it happens
  int spared_ = 0;  // the number of calls that pass before
  std::map<std::string, int> passed_;
};

// A line is a client's connection, and the connection to the server that is made for
// it. The class is not safe for concurrent use.
class FaultLine {
 public:
  using Time = std::chrono::steady_clock::time_point;

  FaultLine(Socket client, std::uint16_t server_port, std::unique_ptr<Wire> wire,
            FaultPlan& plan);

  // Passes on the bytes that have come and are due. Returns false if the line is cut.
  bool serve(std::chrono::milliseconds delay);
  Time due() const noexcept;  // the next request that is kept back; max() means none

  int client() const noexcept { return client_.fd(); }
  int server() const noexcept { return server_.fd(); }
  bool frozen() const noexcept { return frozen_; }
  void freeze(bool on) noexcept;  // A frozen line is not served.

 private:
  struct HeldBack {
    Time due;
    std::string bytes;
    std::optional<std::int64_t> id;
    Fault fault;
  };

  bool hear_client(std::chrono::milliseconds delay);
  bool pass_requests();
  bool hear_server();
  Fault fault_of(const Reply& reply);
  bool awaits_late_answer() const noexcept;

  FaultPlan& plan_;
  Socket client_;
  Socket server_;
  std::unique_ptr<Wire> wire_;
  std::string from_client_;
  std::string from_server_;
  bool client_gone_ = false;
  bool frozen_ = false;
  bool late_ = false;  // It has been frozen.
  std::deque<HeldBack> kept_;
  std::multimap<std::int64_t, Fault> unanswered_;
};

}  // namespace holdfast::test

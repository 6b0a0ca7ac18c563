// SPDX-License-Identifier: Apache-2.0

// shop/service/test_pages.h - the primitives to try by hand, one page for each.
//
//   GET /test/lock        one visitor at a time
//   GET /test/read        readers together,
//   GET /test/write       or one writer alone
//   GET /test/semaphore   three at a time
//   GET /test/latch       waits until six were counted
//   GET /test/countdown   counts one
//   GET /test/state       which visitors are in and which wait, in all services
//
// A visitor is answered when it is in:
//
//   {"name":"lock","state":"in","client":"anna","since":1700000000000}
//
// and stays in until its lease ends by itself, after ten seconds. `?client=anna` names
// the visitor, and `?lease_ms=500` makes its lease shorter. The latch is over when it
// is open, so its state is "done", and so is that of a count, which says what is
// `left`. `since` is in milliseconds of Unix time, or null if the engine does not know
// it. The state of all is
//
//   {"visits":[{"name":"lock","state":"waiting","client":"bob","since":null}],
//    "latch_left":4}
//
// Each visitor is a client of its own, so that the engine sees all of them: /test/state
// shows what the engine knows, whichever service it is asked of.

#pragma once

#include <chrono>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/hold.h"
#include "http/server.h"

namespace holdfast::shop {

// It is safe for concurrent use.
class TestPages {
 public:
  // `service` is in the names of visitors that do not say their own. The engine is
  // opened when the first visitor comes.
  TestPages(std::string url, std::string service);

  // Answers a path that begins with kTestPath. It blocks until the visitor is in, for
  // 50 s at most, which is less than the patience of nginx.
  HttpResponse answer(const HttpRequest& request);

  // Sends away the visitors that wait.
  void close() { closing_.request_stop(); }

 private:
  struct Visitor {
    std::string name;
    Client client;
    std::chrono::milliseconds lease;
  };

  Visitor visitor_of(const HttpRequest& request);
  HttpResponse enter(const std::string& page, const Visitor& visitor);
  HttpResponse await_latch(const Visitor& visitor);
  HttpResponse count_down(const Visitor& visitor);
  HttpResponse state();
  void keep(const Client& client, Hold hold);

  const std::string url_;
  const std::string service_;
  std::stop_source closing_;

  std::mutex mutex_;
  int visitors_ = 0;
  std::optional<Client> observer_;
  std::list<std::pair<Client, Hold>> holds_;  // until their leases end
};

inline constexpr std::string_view kTestPath = "/test/";

}  // namespace holdfast::shop

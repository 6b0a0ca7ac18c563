// SPDX-License-Identifier: Apache-2.0

// holdfast/testing.h - a lock server in memory, for the tests of your own program.
//
//   holdfast::TestServer server;
//   auto client = server.client().value();        // in the place of Client::open(url)
//   holdfast::Mutex mutex(client, "report");
//   auto hold = mutex.acquire().value();
//
//   server.end_holds("report");                   // as if the lease had run out:
//   // hold.lost() fires, and hold.valid() is false
//
//   server.set_reachable(false);                  // the network is down:
//   // mutex.acquire({.wait = 0s}) gives Errc::unavailable
//
// Link `holdfast::testing` (CMake) or `-lholdfast_testing -lholdfast`. The server has
// every primitive, with fencing tokens and queues in order of arrival. It starts no
// thread and opens no file or socket. Each client() is another client, as if it were in
// another process. Every request of a client to the server can be made to fail.
//
// A fault concerns the calls of every client, until it is taken back. Copies of a
// TestServer are the same server, which lives for as long as a copy or a client of it
// does. A TestServer is safe for concurrent use.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/client_options.h"
#include "holdfast/engine/session.h"
#include "holdfast/export.h"

namespace holdfast::test {
struct FakeWorld;
}

namespace holdfast::inline v0 {

class HOLDFAST_EXPORT TestServer {
 public:
  TestServer();

  // Opens another client. Errc::unavailable: the server is not reachable.
  Result<Client> client(const ClientOptions& options = {}) const;

  // Returns this server as an engine for Client::over().
  std::unique_ptr<engine::Engine> engine() const;

  // While `reachable` is false, every call fails with Errc::unavailable. Holds are not
  // renewed then, and they are lost when their leases end.
  void set_reachable(bool reachable) noexcept;

  // Carries out the next `calls` calls, but loses their replies, so that the client
  // cannot know what became of them. Holdfast retries where that is safe; what it
  // cannot find out is Errc::outcome_unknown.
  void lose_replies(int calls) noexcept;

  // Loses the next `calls` calls before they reach the server. To the client it looks
  // the same as a lost reply.
  void lose_requests(int calls) noexcept;

  // Makes every call take longer by `delay`.
  void set_delay(std::chrono::milliseconds delay) noexcept;

  // Keeps renewals, changes and releases of this name from returning before `resume()`,
  // whatever their deadline. Only one name hangs at a time: a second call replaces the
  // first.
  void hang(std::string name);
  void resume();

  // Ends every hold of this name, as if its lease had run out, and lets the next waiter
  // in. The holders are told at once. Returns how many holds it ended.
  std::size_t end_holds(std::string_view name);

 private:
  std::shared_ptr<test::FakeWorld> world_;
};

}  // namespace holdfast::inline v0

// holdfast/testing.h - a lock server in memory, for the tests of your own program.
//
//   holdfast::TestServer server;
//   auto client = server.client();                // in the place of Client::open(url)
//   holdfast::Mutex mutex(client, "report");
//   auto hold = mutex.acquire().value();
//
//   server.end_holds("report");                   // as if the lease had run out:
//   // hold.lost() fires, and hold.valid() is false
//
//   server.set_reachable(false);                  // the network is down:
//   // mutex.acquire({.wait = 0s}) gives Errc::unavailable
//
// Link `holdfast::testing` (CMake) or `-lholdfast_testing -lholdfast`. It has every
// primitive, with fencing tokens and queues in order of arrival, starts no thread and
// opens no file or socket. Each client() is another client, as if it were in another
// process; all that a client asks of the server can be made to fail.
//
// A fault holds for the calls of every client, until it is taken back. Copies of a
// TestServer are the same server; it lives for as long as a copy or a client of it
// does. Safe for concurrent use.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/engine/session.h"
#include "holdfast/export.h"

namespace holdfast {

namespace test {
struct FakeWorld;
}

class HOLDFAST_EXPORT TestServer {
 public:
  TestServer();

  // Another client of this server. Throws holdfast::Error while it is not reachable.
  Client client(ClientOptions options = {}) const;

  // The same for Client::over(), which returns a Result.
  std::unique_ptr<engine::Engine> engine() const;

  // While it is false, every call ends in Errc::unavailable: holds are not renewed, and
  // they are lost when their leases end.
  void set_reachable(bool reachable) noexcept;

  // The next so many calls are carried out, and their answers are lost: the caller
  // cannot know what became of them. Holdfast asks again where that is safe; what it
  // cannot find out is Errc::outcome_unknown.
  void lose_replies(int calls) noexcept;

  // The next so many calls are lost on the way. To the caller it looks the same.
  void lose_requests(int calls) noexcept;

  // Every call takes so much longer.
  void set_delay(std::chrono::milliseconds delay) noexcept;

  // Renewals, changes and releases of this name do not return before resume(),
  // whatever their deadline. One name at a time: another takes its place.
  void hang(std::string name);
  void resume();

  // Ends every hold of this name, as if its lease had run out, and lets the next waiter
  // in; the holders are told at once. Returns how many it ended.
  std::size_t end_holds(std::string_view name);

 private:
  std::shared_ptr<test::FakeWorld> world_;
};

}  // namespace holdfast

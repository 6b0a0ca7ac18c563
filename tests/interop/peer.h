// SPDX-License-Identifier: Apache-2.0

// tests/interop/peer.h - a process on another library, driven by lines.
//
//   Peer peer("redisson", server.url());
//   EXPECT_EQ(peer.ask("t1", "lock", "RLock", name, 0, -1).said, "ok");
//   peer.tell("t2", "lock", "RLock", name, -1, -1);      // waits, in another thread
//   peer.ask("t1", "unlock", "RLock", name);
//   EXPECT_EQ(peer.answer("t2").said, "ok");
//
// The programs are tests/interop/redisson and tests/interop/curator, in Java, and
// tests/interop/go; their Verbs and Commands list the verbs. HOLDFAST_REDISSON_PEER,
// HOLDFAST_CURATOR_PEER and HOLDFAST_GO_PEER are the paths of what was built of them.

#pragma once

#include <chrono>
#include <deque>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/process.h"

namespace holdfast::test {

struct Answer {
  std::string said;   // "ok", "timeout" or "error"; empty means that none came in time
  std::string value;  // a token, a number, a sentence
  std::chrono::steady_clock::time_point began;  // by the clock of this host
  std::chrono::steady_clock::time_point ended;
};
void PrintTo(const Answer& answer, std::ostream* out);

// How long locks and waiters of the peer outlive its process.
struct PeerOptions {
  std::chrono::milliseconds lease{30'000};       // of a lock without a lease of its own
  std::chrono::milliseconds fair_wait{300'000};  // of a waiter in RFairLock's queue
};

// The constructor throws std::runtime_error if the peer does not start. The class is
// not safe for concurrent use.
class Peer {
 public:
  Peer(const std::string& library, const std::string& url, PeerOptions options = {});

  // The commands of one thread of the peer are done one after another.
  template <class... Words>
  void tell(std::string_view thread, std::string_view verb, const Words&... words) {
    send({std::string(thread), std::string(verb), spelt(words)...});
  }
  Answer answer(std::string_view thread, std::chrono::milliseconds limit = patience());

  template <class... Words>
  Answer ask(std::string_view thread, std::string_view verb, const Words&... words) {
    tell(thread, verb, words...);
    return answer(thread);
  }

  void kill();  // sends SIGKILL and waits until the process is gone

 private:
  static std::string spelt(std::string_view word) { return std::string(word); }
  static std::string spelt(long number) { return std::to_string(number); }
  static std::string spelt(std::chrono::milliseconds time) {
    return std::to_string(time.count());
  }
  void send(const std::vector<std::string>& words);

  Process process_;
  std::map<std::string, std::deque<Answer>, std::less<>> answers_;  // not yet asked for
};

}  // namespace holdfast::test

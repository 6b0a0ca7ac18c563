// SPDX-License-Identifier: Apache-2.0

// tests/interop/interop.h - the fixture of every interop test.
//
//   TEST_F(Names, Spaces) { peer().ask("t", "lock", "RLock", name("a b"), 0, -1); ... }
//
// One server and one process of the peer serve all tests of a run; each test has names
// of its own. exclusion_test.cc, wakeups_test.cc and deaths_test.cc are the same for
// every engine. What they need to know of it is declared here and defined in its
// folder.

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "holdfast/result.h"
#include "interop/ours.h"
#include "interop/peer.h"
#include "support/scale.h"

namespace holdfast::test {

inline constexpr std::chrono::milliseconds kLongLease{30'000};

// Returns an empty code for a success.
template <class T>
std::error_code code_of(const Result<T>& result) {
  return result ? std::error_code{} : result.error().code;
}

// The KINDs of the peer that a case is run with.
struct Pass {
  const char* from;  // the kind that is given back
  const char* to;    // the kind that waits for it
};
void PrintTo(const Pass& pass, std::ostream* out);

struct Kinds {
  std::vector<const char*> exclusive;
  std::vector<const char*> counted;
  std::vector<const char*> mortal;  // these end some time after their holder
  std::vector<Pass> passes;
  const char* reader;
  const char* writer;
  const char* unrenewed = "";  // the mortal one that ends although its holder lives
  std::chrono::milliseconds prompt{2000};  // half of our grants come within this time
};
const Kinds& kinds();

class Interop : public testing::Test {
 public:
  // A server dies with the thread that started it, so none may be a test's own.
  static void SetUpTestSuite() { (void)url(); }

 protected:
  static std::string url();  // of the server
  static Peer& peer();
  static Peer start_peer(PeerOptions options = {});  // another process of the peer

  // Opens a client for our side of that lock.
  static Client open(std::string_view kind,
                     std::chrono::milliseconds ttl = kLongLease) {
    return open_ours(kind, url(), ttl);
  }

  std::string name(std::string_view text) const;

  // Gives a lock of the peer what it needs before its first use.
  static void prepare(std::string_view kind, const std::string& name);

  // Fails the test if the peer does not get the lock soon, or does not give it back.
  static void peer_takes(std::string_view thread, std::string_view kind,
                         const std::string& name);
  static void peer_gives_back(std::string_view thread, std::string_view kind,
                              const std::string& name);

  // Waits until a waiter has subscribed to the release of that lock.
  static testing::AssertionResult awaited(const std::string& name);
};

// Names the tests that run once for each kind, whose parameter is the name of the kind.
class InteropOfKind : public Interop,
                      public testing::WithParamInterface<const char*> {};

inline std::string kind_name(const testing::TestParamInfo<const char*>& info) {
  return info.param;
}

}  // namespace holdfast::test

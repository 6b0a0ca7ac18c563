// tests/interop/interop.h - the ground of every interop test.
//
//   TEST_F(Names, Spaces) { peer().ask("t", "lock", "RLock", name("a b"), 0, -1); ... }
//
// One redis-server and one Java process serve all tests of a run; names are a test's
// own.

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "holdfast/result.h"
#include "interop/ours.h"
#include "interop/peer.h"
#include "support/redis_server.h"
#include "support/scale.h"

namespace holdfast::test {

inline constexpr std::chrono::milliseconds kLongLease{30'000};

// No error: it succeeded.
template <class T>
std::error_code code_of(const Result<T>& result) {
  return result ? std::error_code{} : result.error().code;
}

class Interop : public testing::Test {
 protected:
  static RedisServer& server();
  static Peer& peer();

  // A client for our side of that lock.
  static Client open(std::string_view java,
                     std::chrono::milliseconds ttl = kLongLease) {
    return open_ours(java, server().url(), ttl);
  }

  std::string name(std::string_view text) const;

  // Gives a lock of Redisson's what it needs before its first use.
  static void prepare(std::string_view java, const std::string& name);

  // Waits until somebody listens for the release of that lock.
  static testing::AssertionResult awaited(const std::string& name);
};

// For tests that run once for each kind: its name is the parameter.
class InteropOfKind : public Interop,
                      public testing::WithParamInterface<const char*> {};

inline std::string kind_name(const testing::TestParamInfo<const char*>& info) {
  return info.param;
}

}  // namespace holdfast::test

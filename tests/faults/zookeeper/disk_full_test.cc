// SPDX-License-Identifier: Apache-2.0

// A server whose disk is full stops; clients that hold a lock there learn of it in
// time.

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "faults/zookeeper/ground.h"
#include "support/eventually.h"
#include "support/small_disk.h"
#include "support/zookeeper_server.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST(ZookeeperDiskFull, IsAnOutageAndNotAGrant) {
  const SmallDisk disk("4m");
  if (!disk) GTEST_SKIP() << "cannot mount: " << std::strerror(errno);
  ZookeeperServer server(
      {"dataLogDir=" + disk.file("log"), "forceSync=yes", "preAllocSize=64"});
  const auto ttl = scaled(2s);
  Mutex mutex(open_quietly(server.url("/app"), ttl), "a");
  const auto hold = mutex.acquire().value();
  {
    ZookeeperShell hungry(server.port());
    hungry.create("/fat");
    const auto fill = [&] {
      for (int i = 0; i < 100; ++i) {
        hungry.create("/fat/" + std::to_string(i), std::string(100'000, 'x'));
      }
    };
    EXPECT_THROW(fill(), std::runtime_error) << "the disk is not full";
  }
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
  EXPECT_FALSE(hold.valid());
  const auto refused = mutex.acquire({.wait = scaled(300ms)});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().code, Errc::timed_out) << "no client holds it";
}

}  // namespace
}  // namespace holdfast::test

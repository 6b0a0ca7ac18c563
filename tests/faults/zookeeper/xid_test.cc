// SPDX-License-Identifier: Apache-2.0

// The library's request numbers reach those that have a special meaning. They start
// from the time of day, which this program replaces.

#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <string>

#include "holdfast/client.h"
#include "holdfast/mutex.h"
#include "support/scale.h"
#include "support/zookeeper_shared.h"

namespace {

// Each client makes a request and closes its session, and each grant is two requests at
// least.
constexpr std::time_t kClients = 280;
constexpr std::time_t kGrants = 400;
constexpr std::time_t kShortlyBefore = (std::time_t{1} << 32) - 2 * kClients - kGrants;

}  // namespace

extern "C" std::time_t time(std::time_t* to) noexcept {
  if (to != nullptr) *to = kShortlyBefore;
  return kShortlyBefore;
}

namespace holdfast::test {
namespace {

TEST(Xids, AreMovedPastThoseThatMeanSomethingElse) {
  const std::string url =
      "zookeeper://127.0.0.1:" + std::to_string(shared_zookeeper()) + "/xids-" +
      std::to_string(getpid());
  for (int i = 0; i < kClients; ++i) ASSERT_TRUE(Client::open(url)) << i;
  const Client client = Client::open(url).value();
  Mutex mutex(client, "a");
  for (int i = 0; i < kGrants; ++i) {
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << i << ": " << hold.error().message();
    const auto released = hold->release();
    ASSERT_TRUE(released) << i << ": " << released.error().message();
  }
}

}  // namespace
}  // namespace holdfast::test

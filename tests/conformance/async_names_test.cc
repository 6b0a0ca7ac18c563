// SPDX-License-Identifier: Apache-2.0

// Many asynchronous waiters, each on a name of its own that another client holds: each
// is granted when its name is released, and they need no thread each.

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "conformance/conformance.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/sanitizers.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class AsyncNames : public Conformance {
 protected:
  std::size_t names() const {
    const std::string_view engine = GetParam().engine->name;
    if (kThreadSanitizer || kAddressSanitizer) return 20;
    if (engine == "local" || engine == "fake") return 2'000;
    return engine == "redis" ? 500 : 20;  // Each costs several round trips there.
  }
  static long threads() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  }
};
HOLDFAST_CONFORMANCE(AsyncNames);

TEST_P(AsyncNames, EachWaiterIsGrantedInItsTurn) {
  std::atomic<std::size_t> granted{0};
  std::atomic<std::size_t> released{0};
  const Client ours = open();
  const Client theirs = open();
  std::vector<Hold> holds;
  for (std::size_t i = 0; i < names(); ++i) {
    holds.push_back(Mutex(theirs, name(std::to_string(i))).acquire().value());
  }
  const long before = threads();
  for (std::size_t i = 0; i < names(); ++i) {
    Mutex(ours, name(std::to_string(i)))
        .acquire_async({}, [&](Result<holdfast::Hold> hold) {
          ASSERT_TRUE(hold) << hold.error().message();
          ++granted;
          hold->release_async([&](Result<void> done) {
            EXPECT_TRUE(done) << done.error().message();
            ++released;
          });
        });
  }
  // The first ones are released one by one, so that each grant is told by itself.
  const std::size_t single = names() / 10;
  for (std::size_t i = 0; i < single; ++i) {
    ASSERT_TRUE(holds[i].release());
    ASSERT_TRUE(eventually([&] { return granted == i + 1; })) << i;
  }
  EXPECT_LE(threads() - before, 30);
  for (std::size_t i = single; i < names(); ++i) ASSERT_TRUE(holds[i].release());
  EXPECT_TRUE(eventually([&] { return released == names(); }, scaled(60s)));
}

}  // namespace
}  // namespace holdfast::test

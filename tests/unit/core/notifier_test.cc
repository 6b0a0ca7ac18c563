// SPDX-License-Identifier: Apache-2.0

#include "core/notifier.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "support/eventually.h"

namespace holdfast::core {
namespace {

using test::eventually;

TEST(NotifierTest, RunsCallbacksOnAThreadOfItsOwn) {
  Notifier notifier;
  std::stop_source source;
  std::atomic<bool> called{false};
  std::thread::id where;
  const std::stop_callback callback(source.get_token(), [&] {
    where = std::this_thread::get_id();
    called = true;
  });
  notifier.post(source);
  ASSERT_TRUE(eventually([&] { return called.load(); }));
  EXPECT_NE(where, std::this_thread::get_id());
}

TEST(NotifierTest, DeliversEverythingBeforeItStops) {
  std::stop_source sources[20];
  {
    Notifier notifier;
    for (auto& source : sources) notifier.post(source);
  }
  for (const auto& source : sources) EXPECT_TRUE(source.stop_requested());
}

TEST(NotifierTest, ACallbackMayDestroyIt) {
  auto notifier = std::make_unique<Notifier>();
  Notifier* const plain = notifier.get();
  std::stop_source source;
  std::atomic<bool> gone{false};
  const std::stop_callback callback(source.get_token(), [&] {
    notifier.reset();
    gone = true;
  });
  plain->post(source);
  EXPECT_TRUE(eventually([&] { return gone.load(); }));
}

TEST(NotifierTest, ACallbackThatBlocksDoesNotDelayOthers) {
  std::atomic<bool> go{false};
  std::stop_source blocking;
  const std::stop_callback callback(blocking.get_token(), [&] {
    EXPECT_TRUE(eventually([&] { return go.load(); }));
  });
  std::stop_source sources[20];
  Notifier notifier;
  notifier.post(blocking);
  for (auto& source : sources) notifier.post(source);
  for (const auto& source : sources) {
    EXPECT_TRUE(eventually([&] { return source.stop_requested(); }));
  }
  EXPECT_FALSE(go);
  go = true;
}

TEST(NotifierTest, StopWaitsForACallbackThatBlocks) {
  std::atomic<bool> inside{false};
  std::atomic<bool> go{false};
  std::atomic<bool> over{false};
  Notifier notifier;
  notifier.post([&] {
    inside = true;
    EXPECT_TRUE(eventually([&] { return go.load(); }));
    over = true;
  });
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  std::jthread release([&] { go = true; });
  notifier.stop();
  EXPECT_TRUE(over);
}

TEST(NotifierTest, AfterTheStopTheCallerRunsTheTask) {
  Notifier notifier;
  notifier.stop();
  std::stop_source source;
  notifier.post(source);
  EXPECT_TRUE(source.stop_requested());
}

}  // namespace
}  // namespace holdfast::core

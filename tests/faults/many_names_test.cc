// SPDX-License-Identifier: Apache-2.0

// A hundred thousand names are held at once.

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "holdfast/client.h"
#include "holdfast/clock.h"
#include "holdfast/engine/session.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

constexpr int kNames = 100'000;

TEST(ManyNames, AreHeldAtOnce) {
  const TempDir dir;
  const std::string url = "local://" + dir.file("segment");
  const Client client = Client::open(url).value();
  Victim other(url);
  std::deque<Mutex> held;
  for (int i = 0; i < kNames; ++i) {
    ASSERT_TRUE(held.emplace_back(client, "n/" + std::to_string(i)).try_lock()) << i;
  }
  for (const int i : {0, 1, kNames / 2, kNames - 1}) {
    EXPECT_TRUE(is_error(other.ask("try n/" + std::to_string(i)), Errc::timed_out));
  }
  held.clear();
  for (const int i : {0, 1, kNames / 2, kNames - 1}) {
    EXPECT_EQ(other.ask("try n/" + std::to_string(i)), "ok");
  }
}

TEST(ManyNames, OfADeadHolderAreFreeAgain) {
  const TempDir dir;
  const std::string url = "local://" + dir.file("segment");
  Victim holder(url);
  Victim next(url);
  holder.tell("names " + std::to_string(kNames) + " n/");
  const Client observer = Client::open(url).value();
  const auto some = observer.session().bind({engine::Kind::mutex, "n/1000"}).value();
  ASSERT_TRUE(eventually(
      [&] { return !some->survey(1, Clock::now() + patience()).value().empty(); }));
  holder.kill();  // It is taking the names, or releasing them.
  EXPECT_EQ(next.ask("names " + std::to_string(kNames) + " n/", 3 * patience()),
            "ok " + std::to_string(kNames));
}

}  // namespace
}  // namespace holdfast::test

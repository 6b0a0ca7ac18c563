// SPDX-License-Identifier: Apache-2.0

// A release on one side wakes a waiter on the other side long before the lease of 30 s
// would have ended.

#include <algorithm>
#include <future>
#include <iomanip>
#include <iostream>
#include <vector>

#include "interop/interop.h"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Time = steady_clock::time_point;

constexpr int kRounds = 50;

std::string pass_name(const testing::TestParamInfo<Pass>& info) {
  return std::string(info.param.from) + "_to_" + info.param.to;
}

class WakeUps : public Interop, public testing::WithParamInterface<Pass> {
 protected:
  const std::string from{GetParam().from};
  const std::string to{GetParam().to};

  // Each round has a new name, because an engine may stay subscribed to the last one.
  std::string fresh_name() {
    const std::string fresh = name(std::to_string(++rounds_));
    prepare(from, fresh);
    return fresh;
  }

  void note(Time released, Time granted) {
    waits_.push_back(
        std::chrono::duration<double, std::milli>(granted - released).count());
  }

  void judge(const char* direction, milliseconds usual = milliseconds(2000)) {
    std::ranges::sort(waits_);
    std::cout << std::fixed << std::setprecision(2) << direction << ", " << from
              << " to " << to << ": p50 " << waits_[waits_.size() / 2] << " ms, p99 "
              << waits_[waits_.size() * 99 / 100] << " ms\n";
    EXPECT_LT(waits_[waits_.size() / 2], static_cast<double>(scaled(usual).count()));
    EXPECT_LT(waits_.back(), static_cast<double>(scaled(milliseconds(2000)).count()));
  }

 private:
  int rounds_ = 0;
  std::vector<double> waits_;
};

TEST_P(WakeUps, FromThePeerToUs) {
  const Client client = open(to);
  for (int i = 0; i < kRounds; ++i) {
    const std::string lock = fresh_name();
    ASSERT_EQ(peer().ask("holder", "lock", from, lock, patience(), -1).said, "ok");
    auto granted = std::async(std::launch::async, [&] {
      const auto ours = make_ours(to, client, lock);
      ours->acquire({.wait = patience()}).value();
      return steady_clock::now();
    });
    ASSERT_TRUE(awaited(lock));
    const Time released = peer().ask("holder", "unlock", from, lock).began;
    note(released, granted.get());
  }
  judge("from the peer to us", kinds().prompt);
}

TEST_P(WakeUps, FromUsToThePeer) {
  const Client client = open(from);
  for (int i = 0; i < kRounds; ++i) {
    const std::string lock = fresh_name();
    const auto ours = make_ours(from, client, lock);
    ours->acquire().value();
    peer().tell("waiter", "lock", to, lock, -1, -1);
    ASSERT_TRUE(awaited(lock));
    const Time released = steady_clock::now();
    ours->release().value();
    const Answer granted = peer().answer("waiter");
    ASSERT_EQ(granted.said, "ok") << granted.value;
    note(released, granted.ended);
    peer().ask("waiter", "unlock", to, lock);
  }
  judge("from us to the peer");
}

INSTANTIATE_TEST_SUITE_P(, WakeUps, testing::ValuesIn(kinds().passes), pass_name);

}  // namespace
}  // namespace holdfast::test

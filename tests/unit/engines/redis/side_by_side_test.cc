// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/side_by_side.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>

namespace holdfast::redis {
namespace {

// Only the addresses of servers are used here, and no server is called.
class SideBySideTest : public testing::Test {
 protected:
  static constexpr std::size_t kServers = 3;

  SideBySideTest() {
    for (std::size_t i = 0; i < kServers; ++i) {
      by_server_[reinterpret_cast<Requests*>(&addresses_[i])] = i;
    }
  }

  // Asks every server. Returns what was thrown, or nothing.
  std::string ask(const std::array<bool, kServers>& throws) {
    try {
      ask_side_by_side(by_server_, [&](Requests&, std::size_t server) {
        if (throws[server]) throw std::runtime_error(std::to_string(server));
        ++asked_[server];
      });
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return {};
  }

  std::array<std::max_align_t, kServers> addresses_{};
  std::map<Requests*, std::size_t> by_server_;
  std::array<int, kServers> asked_{};
};

TEST_F(SideBySideTest, AsksEveryServerOnce) {
  EXPECT_EQ(ask({}), "");
  EXPECT_EQ(asked_, (std::array{1, 1, 1}));
}

TEST_F(SideBySideTest, AsksTheOthersIfOneThrows) {
  EXPECT_EQ(ask({true, false, false}), "0") << "it is asked on a thread of its own";
  EXPECT_EQ(asked_, (std::array{0, 1, 1}));
  EXPECT_EQ(ask({false, false, true}), "2") << "it is asked on the caller's thread";
  EXPECT_EQ(asked_, (std::array{1, 2, 1}));
}

TEST_F(SideBySideTest, ThrowsOneExceptionIfAllThrow) {
  EXPECT_EQ(ask({true, true, true}), "0");
  EXPECT_EQ(asked_, (std::array{0, 0, 0}));
}

TEST_F(SideBySideTest, AsksNothingWithoutServers) {
  by_server_.clear();
  EXPECT_EQ(ask({}), "");
}

}  // namespace
}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

#include "holdfast/fence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "support/temp_dir.h"

namespace holdfast {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class FenceTest : public testing::TestWithParam<bool> {
 protected:
  Fence make() {
    return GetParam() ? Fence::in_file(folder.file("fence")).value() : Fence();
  }
  test::TempDir folder;
};

INSTANTIATE_TEST_SUITE_P(Memories, FenceTest, testing::Bool(),
                         [](const auto& in) { return in.param ? "file" : "process"; });

TEST_P(FenceTest, RefusesSmallerTokens) {
  Fence fence = make();
  EXPECT_EQ(fence.highest().value(), FencingToken{});
  EXPECT_TRUE(fence.admit({5}));
  EXPECT_TRUE(fence.admit({5})) << "the same holder was refused";
  EXPECT_TRUE(fence.admit({7}));
  const auto refused = fence.admit({6});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::stale_token);
  const std::string named = GetParam() ? " \"" + folder.file("fence") + "\"" : "";
  EXPECT_THAT(refused.error().message(),
              HasSubstr("token 6 is stale: the fence" + named + " has seen 7"));
  EXPECT_EQ(fence.highest()->value, 7u);
}

TEST_P(FenceTest, RefusesAnEmptyToken) {
  Fence fence = make();
  EXPECT_EQ(fence.admit({}).error().code, Errc::bad_argument);
  EXPECT_EQ(fence.admit_shared({}).error().code, Errc::bad_argument);
}

TEST_P(FenceTest, ReadsAndWritesAreFencedAlike) {
  Fence fence = make();
  int data = 1;
  const auto seen = fence.read({2}, [&] { return data; });
  ASSERT_TRUE(seen);
  EXPECT_EQ(*seen, 1);
  EXPECT_TRUE(fence.write({3}, [&] { data = 2; }));
  const auto stale = fence.read({2}, [&] { return data; });
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, Errc::stale_token);
  EXPECT_FALSE(fence.write({2}, [&] { data = 9; }));
  EXPECT_EQ(data, 2);
}

TEST_P(FenceTest, ReadersDoNotFenceEachOther) {
  Fence fence = make();
  ASSERT_TRUE(fence.admit({5}));
  EXPECT_TRUE(fence.admit_shared({9}));
  EXPECT_TRUE(fence.admit_shared({6}));
  EXPECT_FALSE(fence.admit_shared({4}));
  EXPECT_EQ(fence.highest()->value, 5u);
}

TEST_P(FenceTest, NothingComesBetweenTheCheckAndTheWork) {
  Fence fence = make();
  std::vector<std::uint64_t> order;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t token = 1; token <= 8; ++token) {
      threads.emplace_back([&, token] {
        for (int i = 0; i < 50; ++i) {
          (void)fence.write({token}, [&] { order.push_back(token); });
        }
      });
    }
  }
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(order.back(), 8u);
}

TEST_P(FenceTest, CanBeMoved) {
  Fence first = make();
  ASSERT_TRUE(first.admit({5}));
  Fence second = std::move(first);
  EXPECT_FALSE(second.admit({4}));
}

class FenceFileTest : public testing::Test {
 protected:
  std::string path() const { return folder.file("fence"); }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path()).rdbuf();
    return text.str();
  }
  void write(const std::string& text) const { std::ofstream(path()) << text; }
  test::TempDir folder;
};

TEST_F(FenceFileTest, RemembersAcrossRestarts) {
  for (std::uint64_t token = 1; token <= 5; ++token) {
    auto fence = Fence::in_file(path()).value();
    EXPECT_EQ(fence.highest()->value, token - 1);
    EXPECT_TRUE(fence.admit({token}));
  }
}

TEST_F(FenceFileTest, IsSharedByAllThatOpenIt) {
  auto one = Fence::in_file(path()).value();
  auto two = Fence::in_file(path()).value();
  ASSERT_TRUE(one.admit({7}));
  EXPECT_FALSE(two.admit({6}));
}

TEST_F(FenceFileTest, OtherUsersCannotReadIt) {
  ASSERT_TRUE(Fence::in_file(path()));
  EXPECT_EQ(std::filesystem::status(path()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(FenceFileTest, RefusesAForeignFileAndDoesNotTouchIt) {
  for (const std::string& foreign :
       {std::string("hello"), std::string(128, 'x'), std::string(4096, '\0')}) {
    write(foreign);
    const auto fence = Fence::in_file(path());
    ASSERT_FALSE(fence);
    EXPECT_EQ(fence.error().code, Errc::incompatible);
    EXPECT_THAT(
        fence.error().message(),
        AllOf(HasSubstr(path()), HasSubstr("name a different path"),
              HasSubstr("no earlier holder still runs"), Not(HasSubstr("restore"))));
    EXPECT_EQ(content(), foreign);
  }
}

TEST_F(FenceFileTest, SurvivesAWriteThatWasCutShort) {
  {
    auto fence = Fence::in_file(path()).value();
    for (std::uint64_t token = 1; token <= 4; ++token)
      ASSERT_TRUE(fence.admit({token}));
  }
  const auto whole = content();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto torn = whole;
    torn[at] = '#';
    write(torn);
    const auto fence = Fence::in_file(path());
    ASSERT_TRUE(fence) << at;
    EXPECT_GE(fence->highest()->value, 3u) << "byte " << at;
  }
}

TEST_F(FenceFileTest, SaysWhatCannotBeOpened) {
  EXPECT_EQ(Fence::in_file(folder.path()).error().code, Errc::bad_argument);
  const auto fence = Fence::in_file("/nonexistent/fence");
  EXPECT_THAT(fence.error().message(), HasSubstr("/nonexistent/fence"));
}

}  // namespace
}  // namespace holdfast

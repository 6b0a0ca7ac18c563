// SPDX-License-Identifier: Apache-2.0

// The program itself, from outside: its mistakes, and what it leaves behind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <system_error>

#include "errors.h"
#include "servers/child.h"
#include "servers/temp_dir.h"
#include "support/eventually.h"

namespace holdfast::shop {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using ::testing::HasSubstr;

// Its temporary folder is one of the test's own.
class ShopProgram : public ::testing::Test {
 protected:
  Child start(std::vector<std::string> words) const {
    std::filesystem::create_directories(tmp());
    words.insert(words.begin(), {"env", "TMPDIR=" + tmp(), HOLDFAST_SHOP});
    return Child(words, dir_.file("log"));
  }
  std::string tmp() const { return dir_.file("tmp"); }
  bool tmp_is_empty() const { return std::filesystem::is_empty(tmp()); }

  // How many processes write to a file of the test: the program does, and all that it
  // starts.
  int processes() const {
    int count = 0;
    for (const auto& each : std::filesystem::directory_iterator("/proc")) {
      std::error_code gone;
      const auto output = std::filesystem::read_symlink(each.path() / "fd/1", gone);
      if (output.native().starts_with(dir_.path() + "/")) ++count;
    }
    return count;
  }

  // A sale that would last for ten minutes is under way.
  Child start_long_sale() const {
    Child shop = start({"--strategies", "holdfast-redis", "--requests", "100000",
                        "--stock", "10000000", "--seconds", "600"});
    constexpr int kAll = 1 + 1 + 3 + 1;  // the shop, Redis, the services and nginx
    EXPECT_TRUE(eventually([&] { return processes() >= kAll; })) << shop.end_of_log();
    return shop;
  }

  const TempDir dir_;
};

TEST_F(ShopProgram, LeavesNothingWhenItIsEndedInTheMiddle) {
  Child shop = start_long_sale();
  shop.stop(std::chrono::duration_cast<std::chrono::milliseconds>(test::patience()));
  EXPECT_EQ(shop.wait(0s), kInterrupted) << shop.end_of_log();
  EXPECT_EQ(processes(), 0);
  EXPECT_TRUE(tmp_is_empty());
}

TEST_F(ShopProgram, LeavesNoProcessWhenItIsKilled) {
  Child shop = start_long_sale();
  shop.kill();
  EXPECT_TRUE(eventually([this] { return processes() == 0; }));
}

TEST_F(ShopProgram, SaysWhatIsWrongWithItsArguments) {
  struct Mistake {
    std::vector<std::string> words;
    std::string said;
  };
  for (const Mistake& each : std::vector<Mistake>{
           {{"--strategies", "v8"}, "there is no strategy 'v8'; there are: no-lock"},
           {{"--strategies", "<script>"}, "there is no strategy '<script>'"},
           {{"--engines", "oracle"}, "--engines"},
           {{"--strategies", "holdfast-redis", "--engines", "local"},
            "no strategy is left"},
           {{"--users", "0"}, "--users"},
           {{"--store", "paper"}, "--store"},
           {{"--peers", "jedis"}, "--peers"},
           {{"open"}, "see holdfast-shop --help"}}) {
    const Child shop = start(each.words);
    EXPECT_EQ(shop.wait(60s), kUsage) << each.said;
    EXPECT_THAT(shop.end_of_log(), HasSubstr(each.said));
  }
  EXPECT_TRUE(tmp_is_empty());
}

TEST_F(ShopProgram, WritesOneDocument) {
  const Child shop =
      start({"--strategies", "no-lock,one-sql", "--users", "4", "--requests", "5",
             "--stock", "20", "--direct", "--no-scenes", "--json"});
  EXPECT_EQ(shop.wait(60s), 0) << shop.end_of_log();
  const std::string all = shop.end_of_log();
  EXPECT_THAT(all, HasSubstr(R"({"stock":20,"users":4,"requests":5,)"));
  EXPECT_THAT(all, HasSubstr(R"({"name":"no-lock","engine":"","holdfast":false,)"));
  EXPECT_THAT(all, HasSubstr(R"("sold":20,"left":0,"oversold":0)"));
  EXPECT_THAT(all, HasSubstr(R"("scenes":[]})"));
  EXPECT_TRUE(tmp_is_empty());
}

}  // namespace
}  // namespace holdfast::shop

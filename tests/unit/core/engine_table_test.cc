// SPDX-License-Identifier: Apache-2.0

#include "core/engine_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/engine_library.h"

namespace holdfast::core {
namespace {

using testing::HasSubstr;
using testing::Not;

bool has(std::string_view engine) {
  return available_engines().find(engine) != std::string_view::npos;
}

Failure refusal(std::string_view url) {
  auto made = make_engine(base::parse_uri(url).value());
  EXPECT_FALSE(made) << url;
  return made ? Failure(Errc::internal, "made") : made.error();
}

TEST(EngineTableTest, SaysHowToBuildAnEngineIn) {
  struct Row {
    const char* scheme;
    const char* advice;
  };
  const Row rows[] = {
      {"local", "; to add it, build with -DHOLDFAST_ENGINE_LOCAL=ON"},
      {"redis",
       "; to add it, install the packages libhiredis-dev libssl-dev and build with "
       "-DHOLDFAST_ENGINE_REDIS=ON"},
      {"rediss", "-DHOLDFAST_ENGINE_REDIS=ON"},
      {"redis+cluster", "-DHOLDFAST_ENGINE_REDIS=ON"},
      {"zookeeper",
       "libzookeeper-mt-dev and build with -DHOLDFAST_ENGINE_ZOOKEEPER=ON"},
      {"etcds", "protobuf-compiler and build with -DHOLDFAST_ENGINE_ETCD=ON"},
      {"mysql",
       "install the packages libmariadb-dev and build with -DHOLDFAST_ENGINE_MYSQL=ON"},
  };
  for (const Row& row : rows) {
    const Failure why = not_built_in(row.scheme);
    EXPECT_EQ(why.code, Errc::no_engine);
    EXPECT_THAT(why.message(), HasSubstr(std::string("engine '") + row.scheme +
                                         "' is not built in; "));
    EXPECT_THAT(why.message(), HasSubstr(row.advice));
    EXPECT_THAT(why.message(), HasSubstr("; this build has: "));
  }
  EXPECT_THAT(not_built_in("local+cluster").message(),
              HasSubstr("there is no engine 'local+cluster'"));
  EXPECT_THAT(not_built_in("mongo").message(),
              HasSubstr("there is no engine 'mongo'; this build has: "));
}

// The tests have every engine linked in, and none of the libraries beside them.
TEST(EngineTableTest, ALibraryThatIsMissingIsNamed) {
  EXPECT_FALSE(is_installed("oracle"));
  const auto entry = load_engine("oracle");
  ASSERT_FALSE(entry);
  EXPECT_EQ(entry.error().code, Errc::no_engine);
  EXPECT_THAT(entry.error().message(), HasSubstr("engine 'oracle' is not "));
  EXPECT_THAT(entry.error().message(), HasSubstr("holdfast"));
}

TEST(EngineTableTest, AQuorumIsMadeOfOtherEngines) {
  if (!has("local")) GTEST_SKIP() << "this build does not have the local engine";
  EXPECT_TRUE(has("quorum"));
  const auto made =
      make_engine(base::parse_uri("quorum:local:///a,local:///b,local:///c").value());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ((*made)->scheme(), "quorum");
}

TEST(EngineTableTest, ABadQuorumIsRefused) {
  if (!has("local")) GTEST_SKIP() << "this build does not have the local engine";
  const auto few = refusal("quorum:local:///a,local:///b");
  EXPECT_EQ(few.code, Errc::bad_url);
  EXPECT_THAT(few.message(), HasSubstr("at least three nodes"));
  EXPECT_EQ(refusal("quorum:").code, Errc::bad_url);

  const auto twice = refusal("quorum:local:///a,local:///b,local:///a");
  EXPECT_EQ(twice.code, Errc::bad_url);
  EXPECT_THAT(twice.message(), HasSubstr("node 3 of the quorum is named twice"));

  const auto nested = refusal("quorum:local:///a,local:///b,quorum:");
  EXPECT_EQ(nested.code, Errc::bad_url);

  const auto unknown = refusal("quorum:local:///a,canary://b,local:///c");
  EXPECT_EQ(unknown.code, Errc::no_engine);
  EXPECT_THAT(unknown.message(), HasSubstr("node 2 of the quorum"));
  EXPECT_THAT(unknown.message(), Not(HasSubstr("canary")))
      << "it might be part of a password";

  const auto bad = refusal("quorum:local:///a,local://host/b,local:///c");
  EXPECT_EQ(bad.code, Errc::bad_url);
  EXPECT_THAT(bad.message(), HasSubstr("node 2 of the quorum: bad URL: "));
}

}  // namespace
}  // namespace holdfast::core

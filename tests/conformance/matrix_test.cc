// SPDX-License-Identifier: Apache-2.0

// Every case runs on every engine, or the table of exceptions says why not.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "conformance/conformance.h"
#include "conformance/exceptions.h"

namespace holdfast::test {
namespace {

// This is an engine, and a shape or nothing.
using Where = std::pair<std::string, std::string>;

// A parameter's name begins with that of an engine; the longest one counts.
Where where(const std::string& parameter) {
  std::string engine;
  for (const EngineKind& each : engines()) {
    if (parameter.starts_with(each.name) && each.name.size() > engine.size()) {
      engine = each.name;
    }
  }
  const std::size_t rest = parameter.find_first_not_of('_', engine.size());
  return {engine, rest == std::string::npos ? "" : parameter.substr(rest)};
}

// Returns where each case ("Suite.Case") runs, as it is registered in GoogleTest.
std::map<std::string, std::set<Where>> registered() {
  std::map<std::string, std::set<Where>> result;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const std::string full = suite.GetTestInfo(j)->name();
      const std::size_t slash = full.find('/');
      if (slash == std::string::npos) continue;
      result[std::string(suite.name()) + "." + full.substr(0, slash)].insert(
          where(full.substr(slash + 1)));
    }
  }
  return result;
}

std::string suite_of(const std::string& test_case) {
  return test_case.substr(0, test_case.find('.'));
}

TEST(Matrix, IsComplete) {
  const auto cases = registered();
  EXPECT_GE(cases.size(), 50u) << "cases have gone missing";
  for (const auto& [test_case, on] : cases) {
    std::set<std::string> shapes;
    for (const auto& [engine, shape] : on) shapes.insert(shape);
    for (const EngineKind& engine : engines()) {
      for (const std::string& shape : shapes) {
        EXPECT_NE(on.contains({engine.name, shape}),
                  is_excepted(suite_of(test_case), engine.name, shape))
            << test_case << " on " << engine.name << " " << shape;
      }
    }
  }
}

TEST(Matrix, ExceptionsAreNotStale) {
  for (const Exception& each : exceptions()) {
    EXPECT_TRUE(suites().contains(std::string(each.suite))) << each.suite;
    bool known = false;
    for (const EngineKind& engine : engines()) {
      if (engine.name != each.engine) continue;
      known = true;
      EXPECT_TRUE(lacks(*engine.make(), each))
          << each.engine << " can run " << each.suite << " now";
    }
    EXPECT_TRUE(known) << "no engine is called " << each.engine;
  }
}

}  // namespace
}  // namespace holdfast::test

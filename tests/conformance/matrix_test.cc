// Every case runs on every engine, or the table of exceptions says why not.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "conformance/conformance.h"
#include "conformance/exceptions.h"

namespace holdfast::test {
namespace {

// Engine names by case ("Suite.Case"), as GoogleTest has them registered. A parameter's
// name begins with that of an engine; the longest one counts.
std::map<std::string, std::set<std::string>> registered() {
  std::map<std::string, std::set<std::string>> result;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const std::string full = suite.GetTestInfo(j)->name();
      const std::size_t slash = full.find('/');
      if (slash == std::string::npos) continue;
      const std::string param = full.substr(slash + 1);
      std::string engine;
      for (const EngineKind& each : engines()) {
        if (param.starts_with(each.name) && each.name.size() > engine.size()) {
          engine = each.name;
        }
      }
      result[std::string(suite.name()) + "." + full.substr(0, slash)].insert(engine);
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
    for (const EngineKind& engine : engines()) {
      EXPECT_NE(on.contains(engine.name), is_excepted(suite_of(test_case), engine.name))
          << test_case << " on " << engine.name;
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
      EXPECT_TRUE(lacks(*engine.make(), each.lack))
          << each.engine << " can run " << each.suite << " now";
    }
    EXPECT_TRUE(known) << "no engine is called " << each.engine;
  }
}

}  // namespace
}  // namespace holdfast::test

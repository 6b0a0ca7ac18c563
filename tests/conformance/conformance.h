// SPDX-License-Identifier: Apache-2.0

// tests/conformance/conformance.h - the fixture of every conformance case.
//
//   class Loss : public Conformance {};
//   HOLDFAST_CONFORMANCE(Loss);
//   TEST_P(Loss, FixedLeaseEnds) { Mutex mutex(open(), name("a"), ...); ... }

#pragma once

#include <gtest/gtest.h>

#include <iosfwd>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/engine_under_test.h"
#include "conformance/exclusive.h"
#include "conformance/forms.h"
#include "holdfast/client.h"
#include "holdfast/engine/session.h"
#include "holdfast/lease.h"

namespace holdfast::test {

inline const WaitOptions kNow{.wait = Timeout::zero()};

struct Setting {
  const EngineKind* engine;
  std::string_view shape;  // empty if the suite has none
  Shape of = Shape::mutex;
};

// Returns where a suite runs: on every engine that is not excepted, times the shapes.
std::vector<Setting> settings_for(std::string_view suite,
                                  const std::vector<Shape>& shapes = {});

// Returns every suite, even one that has no engine to run on in this build.
const std::set<std::string>& suites();

void PrintTo(const Setting& setting, std::ostream* out);
std::string setting_name(const testing::TestParamInfo<Setting>& info);

// Whether a call failed because its wait was over, and for no other reason.
template <class T>
bool timed_out(const Result<T>& outcome) {
  return !outcome.has_value() && outcome.error() == Errc::timed_out;
}

class Conformance : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override { engine_ = GetParam().engine->make(); }

  EngineUnderTest& engine() { return *engine_; }

  // For calls that ask once and do not wait.
  const WaitOptions once_{.wait = Timeout::zero()};

  // Opens another client. The lease is long, so that only the cases that need it see
  // its end.
  Client open(std::chrono::milliseconds ttl = scaled(std::chrono::seconds(30)));

  // Returns a name of this test's own.
  std::string name(std::string_view text) const;

  // Returns what an observer sees.
  static std::vector<engine::Entry> survey(const Client& client,
                                           const engine::Address& address);

  // Waits until an observer sees so many waiters.
  static testing::AssertionResult waiting(const Client& client,
                                          const engine::Address& address,
                                          std::size_t number);

 private:
  std::unique_ptr<EngineUnderTest> engine_;
};

}  // namespace holdfast::test

// An engine may be absent from a build, and a suite with it.
#define HOLDFAST_CONFORMANCE(suite, ...)                                   \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite);                    \
  INSTANTIATE_TEST_SUITE_P(, suite,                                        \
                           testing::ValuesIn(holdfast::test::settings_for( \
                               #suite __VA_OPT__(, ) __VA_ARGS__)),        \
                           holdfast::test::setting_name)

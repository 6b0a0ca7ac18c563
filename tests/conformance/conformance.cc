// SPDX-License-Identifier: Apache-2.0

#include "conformance/conformance.h"

#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "conformance/claim_lock.h"
#include "conformance/exceptions.h"
#include "support/eventually.h"

namespace holdfast::test {

namespace {

std::set<std::string>& known_suites() {
  static std::set<std::string> known;
  return known;
}

}  // namespace

const std::set<std::string>& suites() { return known_suites(); }

std::vector<Setting> settings_for(std::string_view suite,
                                  const std::vector<Shape>& shapes) {
  known_suites().emplace(suite);
  std::vector<Setting> result;
  for (const EngineKind& engine : engines()) {
    if (shapes.empty() && !is_excepted(suite, engine.name, {})) {
      result.push_back({&engine, {}});
    }
    for (const Shape shape : shapes) {
      if (is_excepted(suite, engine.name, name_of(shape))) continue;
      result.push_back({&engine, name_of(shape), shape});
    }
  }
  return result;
}

void PrintTo(const Setting& setting, std::ostream* out) {
  *out << setting.engine->name;
  if (!setting.shape.empty()) *out << '_' << setting.shape;
}

std::string setting_name(const testing::TestParamInfo<Setting>& info) {
  return testing::PrintToString(info.param);
}

Client Conformance::open(std::chrono::milliseconds ttl) {
  ClientOptions options;
  options.ttl = ttl;
  return engine_->open(std::move(options));
}

std::string Conformance::name(std::string_view text) const {
  return "test-" + std::to_string(getpid()) + "/" +
         testing::UnitTest::GetInstance()->current_test_info()->name() + "/" +
         std::string(text);
}

std::vector<engine::Entry> Conformance::survey(const Client& client,
                                               const engine::Address& address) {
  const auto resource = client.session().bind(address).value();
  return resource->survey(1000, soon()).value();
}

testing::AssertionResult Conformance::waiting(const Client& client,
                                              const engine::Address& address,
                                              std::size_t number) {
  std::ptrdiff_t seen = 0;
  const bool met = eventually([&] {
    const auto entries = survey(client, address);
    seen = std::ranges::count(entries, false, &engine::Entry::granted);
    return seen == static_cast<std::ptrdiff_t>(number);
  });
  if (met) return testing::AssertionSuccess();
  return testing::AssertionFailure() << seen << " wait, not " << number;
}

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// tests/conformance/fixtures.h - one factory per engine, each in a file of its own.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "conformance/engine_under_test.h"

namespace holdfast::test {

// Returns the URL with the user ann and this password in it.
inline std::string with_user(std::string url, std::string_view password) {
  return url.insert(url.find("//") + 2, "ann:" + std::string(password) + "@");
}

std::unique_ptr<EngineUnderTest> make_fake();  // leased, with a gate and faults
// leased; threads attempt directly
std::unique_ptr<EngineUnderTest> make_fake_ungated();
std::unique_ptr<EngineUnderTest> make_toy();  // over the engine kit, with faults
std::unique_ptr<EngineUnderTest> make_local();
std::unique_ptr<EngineUnderTest> make_redis();         // through a line with faults
std::unique_ptr<EngineUnderTest> make_redis_string();  // with ?layout=string
// of three primaries and three replicas, through lines with faults
std::unique_ptr<EngineUnderTest> make_redis_cluster();
// of a primary and a replica behind three sentinels, through lines with faults
std::unique_ptr<EngineUnderTest> make_redis_sentinel();
std::unique_ptr<EngineUnderTest> make_quorum();      // of three redis-servers
std::unique_ptr<EngineUnderTest> make_zookeeper();   // through a line with faults
std::unique_ptr<EngineUnderTest> make_etcd();        // through a line with faults
std::unique_ptr<EngineUnderTest> make_mysql();       // through a line with faults
std::unique_ptr<EngineUnderTest> make_mysql_rows();  // with ?mode=rows

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// tests/conformance/fixtures.h - one factory per engine, each in a file of its own.

#pragma once

#include <memory>

#include "conformance/engine_under_test.h"

namespace holdfast::test {

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

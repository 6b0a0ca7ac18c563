// SPDX-License-Identifier: Apache-2.0

// tests/faults/kill_storm.h - processes that are killed while they hold or wait.

#pragma once

#include <chrono>
#include <string>

namespace holdfast::test {

// Several processes lock and unlock "a" for some seconds, while one after another is
// killed and started again. Each writes a journal, which must have no fault.
void killed_processes_lose_nothing(const std::string& url,
                                   std::chrono::milliseconds ttl);

}  // namespace holdfast::test

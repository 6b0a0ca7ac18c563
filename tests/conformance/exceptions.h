// SPDX-License-Identifier: Apache-2.0

// tests/conformance/exceptions.h - the one place that says which cases are not run.
//
// The table names a suite that an engine cannot run, or not with every shape, or not
// with every case, and says what the engine lacks. matrix_test.cc checks that
// everything else runs, and that each row is still true.

#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "conformance/engine_under_test.h"
#include "conformance/exclusive.h"

namespace holdfast::test {

enum class Lack {
  other_processes,  // Other processes cannot reach it: it is in the test's memory.
  faults,           // Nothing between client and engine could fail.
  liveness_fd,      // Claims end by time: no descriptor keeps them alive.
  order,            // Grants are not in order of arrival, and the traits say so.
  server,           // There is nothing to restart.
  named_tokens,     // The engine chooses every token itself.
  counted,          // It has no counted claims: semaphores, double barriers.
  registers,        // Nothing outlives its owner.
  waiters,          // Observers see the holders, not the waiters.
  // A lock and a counter are stored in the same way and cannot be told apart.
  kinds,
  // gRPC counts a thread that it could not start, and waits for its end when it is shut
  // down.
  few_threads,
  sent_calls,  // It sends no request ahead: each call is made as a whole.
  passwords,   // It asks for none.
  // Nothing that it warns of can be arranged with one server and one user.
  warnings,
};

struct Exception {
  std::string_view suite;
  std::string_view engine;
  Lack lack;
  std::optional<Shape> shape{};     // nothing means all of them
  std::string_view test_case = {};  // empty means all of them
};

std::span<const Exception> exceptions();

// `shape` is as name_of() gives it, or empty if the suite has none.
bool is_excepted(std::string_view suite, std::string_view engine,
                 std::string_view shape);

// A fixture calls this when it is made: it skips the present case if the table names
// that case.
void skip_if_excepted(std::string_view engine);

// Returns whether the engine really lacks it.
bool lacks(EngineUnderTest& engine, const Exception& exception);

}  // namespace holdfast::test

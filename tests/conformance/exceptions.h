// tests/conformance/exceptions.h - the one place where a case is not run.
//
// A suite that an engine cannot run, or not with every shape, or not with every case,
// is named in the table with what the engine lacks.
// matrix_test.cc checks that everything else runs, and that each row is still true.

#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "conformance/engine_under_test.h"
#include "conformance/exclusive.h"

namespace holdfast::test {

enum class Lack {
  other_processes,  // they cannot reach it: it lives in the memory of the test
  faults,           // nothing lies between client and engine that could fail
  witness,          // claims end by time: no descriptor keeps them alive
  order,            // grants are not in order of arrival, and the traits say so
  server,           // there is nothing to restart
  tokens,           // none fences, and the traits say so
  counted,          // no claims that are counted: semaphores, double barriers
  registers,        // nothing outlives its owner
  waiters,          // observers see who holds, not who waits
  kinds,            // a lock is stored as a counter is: they cannot be told apart
};

struct Exception {
  std::string_view suite;
  std::string_view engine;
  Lack lack;
  std::optional<Shape> shape{};     // nothing: all of them
  std::string_view test_case = {};  // empty: all of them
};

std::span<const Exception> exceptions();

// `shape`: as name_of() gives it; empty: the suite has none.
bool is_excepted(std::string_view suite, std::string_view engine,
                 std::string_view shape);

// For a fixture, when it is made: skips the present case if the table names it alone.
void skip_if_excepted(std::string_view engine);

// Whether the engine really lacks it.
bool lacks(EngineUnderTest& engine, const Exception& exception);

}  // namespace holdfast::test

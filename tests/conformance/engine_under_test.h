// tests/conformance/engine_under_test.h - what a case may ask of an engine.
//
// To add an engine: write one fixture file with a factory, and add it to the list in
// engines.cc. Every case then runs on it, but for those named in exceptions.cc.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "holdfast/client.h"
#include "support/scale.h"

namespace holdfast::test {

// Faults that can be switched on in the engine, or on the way to it.
class Faults {
 public:
  virtual ~Faults() = default;
  virtual void lose_replies(int calls) = 0;   // they are carried out, and not answered
  virtual void lose_requests(int calls) = 0;  // they are not carried out
  virtual void unreachable(bool on) = 0;      // until switched off
};

// Made anew for every test; its state is empty, or at least no test's names are in it.
class EngineUnderTest {
 public:
  virtual ~EngineUnderTest() = default;

  // One more client of the same engine.
  virtual Client open(ClientOptions options) = 0;

  // For other processes. Empty: they cannot reach it.
  virtual std::string url() const { return {}; }

  // Null: none can be switched.
  virtual Faults* faults() noexcept { return nullptr; }

  // Ends its server and starts it again with what it had stored. False: it has none.
  virtual bool restart() { return false; }

  // The claims of a dead process have ended after this time.
  virtual std::chrono::milliseconds death_told_within() const { return patience(); }
};

struct EngineKind {
  std::string name;  // letters, digits and underscores
  std::unique_ptr<EngineUnderTest> (*make)();
};

// Every engine of this build.
const std::vector<EngineKind>& engines();

}  // namespace holdfast::test

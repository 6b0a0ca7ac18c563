// SPDX-License-Identifier: Apache-2.0

// tests/conformance/engine_under_test.h - what a case may ask of an engine.
//
// To add an engine, write one fixture file with a factory, and add it to the list in
// engines.cc. Every case then runs on it, except those named in exceptions.cc.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/client_options.h"
#include "holdfast/engine/session.h"
#include "support/scale.h"

namespace holdfast::test {

// These faults can be switched on in the engine, or on the way to it.
class Faults {
 public:
  virtual ~Faults() = default;
  // The calls are executed, and not answered.
  virtual void lose_replies(int calls) = 0;
  virtual void lose_requests(int calls) = 0;  // The calls are not executed.
  virtual void unreachable(bool on) = 0;      // It lasts until it is switched off.
};

// The password of the user ann, and of every user that a server of these tests knows.
inline constexpr std::string_view kSecret = "c4n4ry";

// The object is made anew for every test; its state is empty, or at least contains no
// test's names.
class EngineUnderTest {
 public:
  virtual ~EngineUnderTest() = default;

  // Opens one more client of the same engine.
  virtual Client open(ClientOptions options) = 0;

  // Returns the URL for other processes, or an empty text if they cannot reach the
  // engine.
  virtual std::string url() const { return {}; }

  // Opens a client that hands a grant over to another thread of its process, where the
  // engine does so only if its URL says so.
  virtual Client open_sharing(ClientOptions options) {
    return open(std::move(options));
  }

  // Returns the URL of a user who has the password kSecret and gives this one, on the
  // way that the faults are on. It is empty if the engine has no passwords.
  virtual std::string url_with(std::string_view /*password*/) { return {}; }

  // Arranges, as long as this object lives, that there is something that an operator
  // should know about what a client with these options finds, and returns words of it.
  // They are empty if that cannot be arranged.
  virtual std::string arrange_warning(ClientOptions& /*options*/) { return {}; }

  // Returns null if no faults can be switched on.
  virtual Faults* faults() noexcept { return nullptr; }

  // Ends the engine's server and starts it again with what it had stored. Returns false
  // if it has none.
  virtual bool restart() { return false; }

  // Returns the time after which the claims of a dead process have ended.
  virtual std::chrono::milliseconds death_told_within() const { return patience(); }
};

struct EngineKind {
  std::string name;  // letters, digits and underscores
  std::unique_ptr<EngineUnderTest> (*make)();
};

// Returns every engine of this build.
const std::vector<EngineKind>& engines();

}  // namespace holdfast::test

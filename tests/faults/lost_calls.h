// SPDX-License-Identifier: Apache-2.0

// tests/faults/lost_calls.h - a call is lost at every point of a scene: before it
// reached the server, or after it was carried out.
//
// The scene must end as if nothing had happened, and leave nothing behind.

#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "faults/bad_line.h"
#include "holdfast/hold.h"
#include "support/scale.h"

namespace holdfast::test {

struct LostCalls {
  BadLine on;
  std::function<int()> calls;  // the number of calls through the proxy until now

  // Expects that the server has stored for this mutex what the hold says.
  std::function<void(const std::string& name, const Hold& hold)> compare;

  // This is longer than the tests wait for a claim that is left behind.
  std::chrono::milliseconds ttl = scaled(std::chrono::seconds(30));

  Client open() const;
  Client open_directly() const;
};

using Scene = std::function<void(const std::string& name)>;  // each run has a new name
void everywhere(const LostCalls& calls, engine::Kind kind, const Scene& scene);

void a_lock_and_an_unlock(const LostCalls& calls);
void a_release_is_told_truly(const LostCalls& calls);
void a_wait(const LostCalls& calls);
void a_wait_that_is_given_up(const LostCalls& calls);
void a_look(const LostCalls& calls);
void readers_and_a_downgrade(const LostCalls& calls);
void permits(const LostCalls& calls);
void parties(const LostCalls& calls);
void a_change_is_made_once(const LostCalls& calls);
void a_versioned_change_is_made_once(const LostCalls& calls);

}  // namespace holdfast::test

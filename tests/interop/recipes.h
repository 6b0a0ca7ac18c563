// SPDX-License-Identifier: Apache-2.0

// tests/interop/recipes.h - elections, barriers and double barriers, which the peers of
// etcd and ZooKeeper have. elections_test.cc and meetings_test.cc are the same for
// both; the folder of each engine defines what they need to know.

#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "interop/interop.h"

namespace holdfast::test {

struct Recipes {
  const char* election;    // the KIND of the peer
  const char* payload;     // of the peer's leader
  bool resigns_at_once;    // or soon after it has said so
  const char* shut_twice;  // what the peer says when it sets a barrier that is set
  bool leaves_before_us;   // a party of the peer does not let itself out too early

  // One that waits for a barrier passes within this time.
  std::chrono::milliseconds prompt;
};
const Recipes& recipes();

class RecipeTest : public Interop {
 protected:
  const std::string lock = name("lock");

  // Waits until a client waits at the barrier, if the server can tell.
  static testing::AssertionResult barrier_is_awaited(const std::string& name);

  // Waits until so many parties are at the double barrier, or until nothing is left.
  static testing::AssertionResult parties_are(const std::string& name,
                                              std::size_t number);
  static testing::AssertionResult nothing_is_left(const std::string& name);
};

}  // namespace holdfast::test

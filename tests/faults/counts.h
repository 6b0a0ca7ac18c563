// SPDX-License-Identifier: Apache-2.0

// tests/faults/counts.h - counts the requests that go through a proxy, by their names.

#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "support/fault_proxy.h"

namespace holdfast::test {

using Words = std::map<std::string, int>;
std::string spelt(const Words& words);  // "Range:1 Txn:2"

struct Count {
  const FaultProxy& line;
  std::set<std::string> but = {};  // requests that do not count

  Words since(const Words& before) const;

  // Returns the requests of `scene`, which is run before so that everything is
  // prepared.
  Words of(const std::function<void()>& scene) const;
};

}  // namespace holdfast::test

// tests/faults/counts.h - what is asked for over a line, word by word.

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
  std::set<std::string> but = {};  // words that do not count

  Words since(const Words& before) const;

  // What `scene` asks for, once everything has been used before.
  Words of(const std::function<void()>& scene) const;
};

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "faults/counts.h"

namespace holdfast::test {

std::string spelt(const Words& words) {
  std::string result;
  for (const auto& [word, number] : words) {
    result += (result.empty() ? "" : " ") + word + ":" + std::to_string(number);
  }
  return result;
}

Words Count::since(const Words& before) const {
  Words more = line.passed();
  for (const auto& [word, number] : before) more[word] -= number;
  std::erase_if(more, [this](const auto& each) {
    return each.second == 0 || but.contains(each.first);
  });
  return more;
}

Words Count::of(const std::function<void()>& scene) const {
  for (int i = 0; i < 3; ++i) scene();
  const Words before = line.passed();
  scene();
  return since(before);
}

}  // namespace holdfast::test

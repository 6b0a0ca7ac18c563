// SPDX-License-Identifier: Apache-2.0

#include "suggest.h"

#include <algorithm>

#include "holdfast/holder.h"

namespace holdfast::cli {
namespace {

// Returns how many letters must be inserted, removed, changed or swapped with the next
// one.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::vector<std::size_t>> cost(from.size() + 1,
                                             std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const bool same = from[i - 1] == to[j - 1];
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1,
                             cost[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[from.size()][to.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 40;
  if (word.size() > kLongest) return {};
  std::string best;
  // One slip for every three letters is allowed; more would be a guess.
  std::size_t least = (word.size() + 1) / 3 + 1;
  for (const std::string& each : known) {
    const std::size_t slips = distance(word, each);
    if (slips >= least) continue;
    least = slips;
    best = each;
  }
  return best.empty() ? "" : "; did you mean " + best + "?";
}

std::optional<std::string> unknown_option(const CLI::App& app) {
  const std::vector<std::string> left = app.remaining();
  const auto found =
      std::find_if(left.begin(), left.end(),
                   [](const std::string& each) { return each.starts_with('-'); });
  if (found == left.end()) return std::nullopt;
  const std::string flag = found->substr(0, found->find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const bool is_long = flag.starts_with("--");
  return "there is no option '" + printable(flag) + "'" +
         (is_long ? did_you_mean(flag, known) : "");
}

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

#include "conformance/models/model.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace holdfast::test {

std::string error(Errc why) { return "error " + std::to_string(static_cast<int>(why)); }

void Model::learn(const Step& step, const std::string& more) {
  const bool explained = step.expected.starts_with("error ");
  EXPECT_TRUE(more.empty() || explained) << "more than was expected: " << more;
}

void TokenRule::see(const std::string& token) {
  if (!fences_) return;
  const std::uint64_t seen = std::stoull(token);
  if (present_) {
    EXPECT_EQ(seen, *present_) << "the token of one hold changed";
  } else {
    EXPECT_GT(seen, highest_) << "the token of a new hold did not grow";
  }
  present_ = exclusive_ = seen;
  highest_ = std::max(highest_, seen);
}

void TokenRule::see_shared(const std::string& token) {
  if (!fences_) return;
  const std::uint64_t seen = std::stoull(token);
  EXPECT_GE(seen, exclusive_) << "a reader would be taken for a stale one";
  highest_ = std::max(highest_, seen);
}

}  // namespace holdfast::test

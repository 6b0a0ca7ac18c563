// SPDX-License-Identifier: Apache-2.0

// tests/cli/error_object.h - the error that is printed on stderr with --json.

#pragma once

#include <gmock/gmock.h>

#include <regex>
#include <string>

namespace holdfast::test {

// Expects one object of the schema in docs/cli.md, on a line of its own, and nothing
// else.
inline bool is_error_object(const std::string& text, const std::string& exit_code) {
  const std::string string = R"("(?:[^"\\\n]|\\.)*")";
  const std::regex object(
      R"(\{"error":"[a-z_]+","resource":(?:null|\{.*\}),"message":)" + string +
      R"(,"hint":(?:null|)" + string + R"(),"exit_code":)" + exit_code + R"(\}\n)");
  return std::regex_match(text, object);
}

MATCHER_P(IsAnErrorObject, exit_code, "") {
  return is_error_object(arg, std::to_string(exit_code));
}
MATCHER(IsAnErrorObjectWithoutExitCode, "") { return is_error_object(arg, "null"); }

}  // namespace holdfast::test

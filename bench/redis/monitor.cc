// SPDX-License-Identifier: Apache-2.0

#include "redis/monitor.h"

#include <optional>
#include <string_view>

namespace holdfast::bench::redis {
namespace {

constexpr const char* kEnd = "that is all";

char unescape(std::string_view& rest) {
  const char what = rest[1];
  if (what == 'x') {
    const auto byte =
        static_cast<char>(std::stoi(std::string(rest.substr(2, 2)), nullptr, 16));
    rest.remove_prefix(4);
    return byte;
  }
  rest.remove_prefix(2);
  switch (what) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return what;
  }
}

// Reads `1763200000.123456 [0 127.0.0.1:5000] "SET" "a\"b" "1"`; returns nothing for a
// call by a script.
std::optional<Command> parse(std::string_view line) {
  const std::size_t words = line.find("] ");
  if (words == line.npos || line.substr(0, words).ends_with(" lua"))
    return std::nullopt;
  Command command;
  bool quoted = false;
  for (std::string_view rest = line.substr(words + 2); !rest.empty();) {
    if (rest[0] == '"') {
      quoted = !quoted;
      if (quoted) command.emplace_back();
      rest.remove_prefix(1);
    } else if (!quoted) {
      rest.remove_prefix(1);
    } else if (rest[0] == '\\') {
      command.back().push_back(unescape(rest));
    } else {
      command.back().push_back(rest[0]);
      rest.remove_prefix(1);
    }
  }
  return command;
}

}  // namespace

Monitor::Monitor(int port) : listening_(port), asking_(port) {
  listening_.call({"MONITOR"});
}

std::vector<Command> Monitor::seen() {
  asking_.call({"ECHO", kEnd});
  std::vector<Command> commands;
  in_scripts_ = 0;
  for (;;) {
    const Reply line = listening_.read();
    auto command = parse({line->str, line->len});
    if (!command) ++in_scripts_;
    if (!command || command->front() == "PING") continue;
    if (command->back() == kEnd) return commands;
    commands.push_back(std::move(*command));
  }
}

}  // namespace holdfast::bench::redis

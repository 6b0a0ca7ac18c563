// SPDX-License-Identifier: Apache-2.0

#include "run/cannot_run.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "exit_codes.h"
#include "run/descriptor.h"
#include "say.h"

namespace holdfast::cli {
namespace {

constexpr std::array<std::string_view, 24> kBuiltIn{
    ".",      "alias", "builtin", "case",  "cd",    "declare", "eval",  "exec",
    "export", "for",   "if",      "let",   "read",  "set",     "shopt", "source",
    "trap",   "type",  "ulimit",  "umask", "unset", "until",   "wait",  "while"};

bool is_for_a_shell(const std::string& word) {
  return word.find_first_of(" \t\n;|&<>$") != std::string::npos ||
         std::find(kBuiltIn.begin(), kBuiltIn.end(), word) != kBuiltIn.end();
}

std::string as_one_string(const std::vector<std::string>& command) {
  if (command.size() == 1) return command.front();
  std::string text = command.front();
  for (std::size_t i = 1; i < command.size(); ++i) text += " " + shell_word(command[i]);
  return text;
}

std::string shell_hint(const RunOptions& options) {
  if (options.verb.empty() || !is_for_a_shell(options.command.front())) return {};
  const std::string how = "-c " + printable(shell_word(as_one_string(options.command)));
  const std::string name = printable(shell_word(options.name));
  return "by a shell: holdfast " + options.verb + " " +
         (name.starts_with('-') ? how + " -- " + name : name + " " + how);
}

}  // namespace

int report_cannot_run(const RunOptions& options, int why) {
  const bool missing = why == ENOENT;
  return fail({.error = missing ? "command_not_found" : "cannot_run",
               .message = without_descriptor(
                   "cannot run " + printable(options.command.front()), why),
               .exit_code = missing ? kNotFound : kCannotRun,
               .hint = missing ? shell_hint(options) : std::string()});
}

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/say.h - what the command tells a person, or a program.
//
// All text goes through here. Without --json stderr has sentences; with it, stderr has
// one object for the error that ends the program, and nothing else. A password that
// `keep_secret` knows is shown as `***`.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "holdfast/holder.h"
#include "holdfast/log.h"
#include "holdfast/result.h"

namespace holdfast::cli {

// How this process speaks. The command line settles it before anything is said.
struct Voice {
  bool json = false;
  bool quiet = false;  // no warnings, and nothing that the exit status tells by itself
  std::optional<LogLevel> least = LogLevel::warning;  // of log lines; empty: none
};
void set_voice(const Voice& voice);

// Why the program ends as it does. docs/cli.md has the words of `error`, and the keys
// under which a program reads it all.
struct ErrorReport {
  std::string_view error;        // a stable word
  std::string message;           // one sentence
  std::optional<int> exit_code;  // empty: that of the command, which still runs
  std::string hint = {};         // what to do or to read next
  std::string resource = {};     // who is in the way, as JSON
  std::string on_terminal = {};  // shown there in place of sentence and hint
  std::string_view speaker = "holdfast";
  bool expected = false;  // one of the answers that a script asks for: --quiet omits it
};

// Each says why, and gives the exit code. Of several errors JSON has the first alone:
// the others follow from it.
int fail(const ErrorReport& report);
int fail(const Failure& why);

// An answer in the negative, with exit status 1.
int negative(std::string_view error, std::string sentence);

// Says the sentence and where to read on: 64.
int misused(std::string_view verb, std::string_view sentence);

// "holdfast: <line>" on stderr, for a person alone: not with --json. Safe for
// concurrent use.
void say(std::string_view line);

// The same for what is only worth knowing, if --quiet and HOLDFAST_LOG let it through.
void log(LogLevel level, std::string_view line);
bool is_said(LogLevel level);
inline void warn(std::string_view line) { log(LogLevel::warning, line); }

// As it is, on stdout.
void print(std::string_view text);

// As one word of a shell's command line.
std::string shell_word(std::string_view text);

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/say.h - what the command tells a person, or a program.
//
// All text goes through here. Without --json, stderr has sentences; with it, stderr has
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

// How this process writes. The command line sets it before anything is written.
struct OutputOptions {
  bool json = false;
  bool quiet = false;  // no warnings, and nothing that the exit status tells by itself
  // the least level of log lines; empty means none
  std::optional<LogLevel> least = LogLevel::warning;
};
void set_output(const OutputOptions& options);

// An ErrorReport says why the program ends. docs/cli.md lists the words of `error` and
// the keys of the JSON.
struct ErrorReport {
  std::string_view error;        // a stable word
  std::string message;           // one sentence
  std::optional<int> exit_code;  // empty means that of the command, which still runs
  std::string hint = {};         // what to do or to read next
  std::string resource = {};     // the resource and its holders, as JSON
  std::string on_terminal = {};  // shown there instead of sentence and hint
  std::string_view program = "holdfast";  // what the sentence begins with
  bool expected = false;  // A script asks for this answer, so --quiet omits it.
};

// Each says why, and returns the exit code. With JSON only the first of several errors
// is printed, because the others follow from it.
int fail(const ErrorReport& report);
int fail(const Failure& why);

// Gives a negative answer, with exit status 1.
int negative(std::string_view error, std::string sentence);

// Prints the sentence and where to read on, and returns 64.
int misused(std::string_view verb, std::string_view sentence);

// Prints "holdfast: <line>" on stderr for a person, so not with --json. It is safe for
// concurrent use.
void say(std::string_view line);

// Prints a line that is only informative, if --quiet and HOLDFAST_LOG allow it.
void log(LogLevel level, std::string_view line);
bool is_said(LogLevel level);
inline void warn(std::string_view line) { log(LogLevel::warning, line); }

// Prints the text unchanged on stdout.
void print(std::string_view text);

// Quotes the text as one word of a shell's command line.
std::string shell_word(std::string_view text);

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/exit_codes.h - what the command says by its exit status.

#pragma once

#include <string_view>
#include <system_error>

namespace holdfast::cli {

// sysexits(3) where it has a word for it, timeout(1) for the last three. docs/cli.md
// lists them for users.
enum ExitCode : int {
  kOk = 0,
  kNothing = 1,        // show, unlock, elect: there is none; latch, counter: not done
  kUsage = 64,         // the command line
  kBadName = 65,       // docs/names.md; or the name is used by another kind
  kUnavailable = 69,   // the engine cannot be reached
  kCannotCreate = 73,  // the engine's storage is full, foreign or cannot be made
  kNotAcquired = 75,   // somebody else has it, or a wait was too short
  kLost = 76,          // it was lost while the command ran
  kDenied = 77,        // permission or password
  kConfig = 78,        // URL, configuration file, engine
  kInternal = 125,     // holdfast itself failed
  kCannotRun = 126,    // the command was found and could not be started
  kNotFound = 127,     // the command was not found
  kSignalled = 128,    // plus the number of the signal
};

int exit_code_of(const std::error_code& why) noexcept;

// The same as a word that stays: "unavailable". For what is none of ours, "internal".
std::string_view error_word(const std::error_code& why) noexcept;

}  // namespace holdfast::cli

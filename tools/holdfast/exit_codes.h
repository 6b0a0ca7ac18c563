// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/exit_codes.h - what the command says by its exit status.

#pragma once

#include <string_view>
#include <system_error>

namespace holdfast::cli {

// The codes are those of sysexits(3) where it has one, and of timeout(1) for the last
// three. docs/cli.md lists them for users.
enum ExitCode : int {
  kOk = 0,
  kNothing = 1,        // show, unlock, elect: there is none; latch, counter: not done
  kUsage = 64,         // The command line is wrong.
  kBadName = 65,       // docs/names.md explains names; or another kind uses the name.
  kUnavailable = 69,   // The engine cannot be reached.
  kCannotCreate = 73,  // The engine's storage is full, foreign or cannot be created.
  kNotAcquired = 75,   // Another client has it, or a wait was too short.
  kLost = 76,          // It was lost while the command ran.
  kDenied = 77,        // A permission is missing, or the password is wrong.
  kConfig = 78,        // URL, configuration file or engine is wrong.
  kInternal = 125,     // holdfast itself failed.
  kCannotRun = 126,    // The command was found and could not be started.
  kNotFound = 127,     // The command was not found.
  kSignalled = 128,    // plus the number of the signal
};

int exit_code_of(const std::error_code& why) noexcept;

// Returns the error as a stable word, such as "unavailable"; "internal" for errors of
// other categories.
std::string_view error_word(const std::error_code& why) noexcept;

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/signals.h - signals by name, and those that are passed on.

#pragma once

#include <csignal>
#include <optional>
#include <string_view>

namespace holdfast::cli {

// Reads "TERM", "SIGTERM" or "15".
std::optional<int> parse_signal(std::string_view text);

// This is the signal mask when the process started, which the command must find again.
struct Inherited {
  sigset_t mask;
};

// Blocks the signals that are passed on to the command (INT, TERM, HUP, QUIT, USR1,
// USR2, WINCH; without those that were ignored from the start, as under nohup), so that
// they wait in a signalfd. REQUIRES: no other thread exists.
Inherited block_signals(sigset_t& passed_on);

// Does the same for a process that will start a command: SIGPIPE is ignored, SIGCHLD is
// not.
Inherited take_over_signals(sigset_t& passed_on);

// Restores for the command the mask as it was, and the default actions of SIGPIPE and
// SIGCHLD.
void give_back_signals(const Inherited& inherited);

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/party.h - runs a command as one party of a double barrier.

#pragma once

#include <cstdint>

#include "run/run_options.h"

namespace holdfast::cli {

// Enters, runs the command, leaves; each of the two waits lasts at most as long as the
// options say. A command that a signal has ended does not wait for the others. The exit
// code: that of the command; if it was good, that of leaving.
// REQUIRES: no other thread exists.
int run_as_party(RunOptions& options, std::uint32_t parties);

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/engine_report.h - what an engine promises, kind by kind.

#pragma once

#include "options.h"

namespace holdfast::cli {

// Prints the promises and the engine's warnings, and returns the exit code.
int show_engine(const CommonOptions& common);

}  // namespace holdfast::cli

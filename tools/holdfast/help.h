// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/help.h - lists the verbs of the program.

#pragma once

#include <string>
#include <string_view>

#include "verbs.h"

namespace holdfast::cli {

// Returns the text of `holdfast --help`.
std::string help_text();

// Returns null if there is no such verb.
const Entrance* find_verb(std::string_view name);

// Says that there is no such verb, suggests a similar one, and returns 64.
int unknown_verb(std::string_view name);

}  // namespace holdfast::cli

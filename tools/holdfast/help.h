// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/help.h - which verbs there are, for who does not know.

#pragma once

#include <string>
#include <string_view>

#include "verbs.h"

namespace holdfast::cli {

// What `holdfast --help` prints.
std::string help_text();

// Null: there is none.
const Entrance* find_verb(std::string_view name);

// Says so, with the one that may have been meant: 64.
int unknown_verb(std::string_view name);

}  // namespace holdfast::cli

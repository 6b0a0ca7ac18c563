// SPDX-License-Identifier: Apache-2.0

// tests/support/victim_work.h - the victim's commands that work for a while.

#pragma once

#include <istream>
#include <string>

#include "holdfast/client.h"

namespace holdfast::test {

// victim.h lists the commands; `words` are the rest of the line. They throw
// holdfast::Error.
std::string count(const Client& client, std::istream& words);
std::string storm(const Client& client, std::istream& words);
std::string children(const Client& client, std::istream& words);
std::string names(const Client& client, std::istream& words);

}  // namespace holdfast::test

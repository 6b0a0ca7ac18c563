// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/secrets.h - keeps the passwords of URLs out of what is said.

#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

// Remembers the password in `url`, if there is one, and returns whether there was.
bool keep_secret(std::string_view url);

// Returns the text with `***` where a URL in it shows a remembered password.
std::string redacted(std::string_view text);

// Overwrites the password in an argument of this process, so that the list of processes
// no longer shows it.
void cover_up(char* argument);

}  // namespace holdfast::cli

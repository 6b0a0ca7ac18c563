// tools/holdfast/say.h - what the command tells a person.
//
// All text goes through here. A password in a URL does not: once `keep_secret` knows
// it, a sentence on stderr shows `***` instead.

#pragma once

#include <string>
#include <string_view>

#include "holdfast/holder.h"
#include "holdfast/result.h"

namespace holdfast::cli {

// Remembers the password in `url`, if there is one, and says whether there was.
bool keep_secret(std::string_view url);

// Overwrites the password in an argument of this process, so that the list of processes
// does not show it any longer.
void cover_up(char* argument);

// "holdfast: <line>" on stderr. Safe for concurrent use.
void say(std::string_view line);

// As it is, on stderr or stdout.
void say_raw(std::string_view text);
void print(std::string_view text);

// Says the failure and gives its exit code.
int fail(const Failure& why);

// Says the sentence and where to read on: 64.
int misused(std::string_view verb, std::string_view sentence);

// As one word of a shell's command line.
std::string shell_word(std::string_view text);

}  // namespace holdfast::cli

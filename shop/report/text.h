// SPDX-License-Identifier: Apache-2.0

// shop/report/text.h - text for JSON, HTML and people.

#pragma once

#include <string>
#include <string_view>

namespace holdfast::shop {

// Returns what printf would print.
[[gnu::format(printf, 1, 2)]] std::string printed(const char* format, ...);

// Returns the text as a string of JSON, in quotes. It can stand in a page, too: there
// is no `<` in it.
std::string json_string(std::string_view text);

// Returns the text for HTML: as content, or as an attribute in double quotes.
std::string html_text(std::string_view text);

// Returns 12345 as 12,345, and 0.1234 as 0.12 with two decimals.
std::string grouped(double number, int decimals = 0);

// Returns a time in milliseconds, with two decimals below ten and one above.
std::string ms_text(double time);

}  // namespace holdfast::shop

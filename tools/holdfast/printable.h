// tools/holdfast/printable.h - text of others, for a terminal.

#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

// With `?` for what could drive the terminal or mislead its reader: control characters,
// those that turn the direction of writing, and bytes that are not UTF-8.
std::string printable(std::string_view text);

}  // namespace holdfast::cli

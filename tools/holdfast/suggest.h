// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/suggest.h - the word that was meant, for one that is not known.

#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// Returns "; did you mean show?" if one of the words is close enough, otherwise
// nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

// Returns the message about the first unknown option, if parsing left one over.
std::optional<std::string> unknown_option(const CLI::App& app);

}  // namespace holdfast::cli

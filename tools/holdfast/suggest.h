// tools/holdfast/suggest.h - the word that was meant, for one that is not known.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// "; did you mean show?" if one of them is close enough; otherwise nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace holdfast::cli

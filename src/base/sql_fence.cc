// SPDX-License-Identifier: Apache-2.0

#include "holdfast/sql_fence.h"

#include <algorithm>

#include "base/common_failures.h"
#include "holdfast/holder.h"

namespace holdfast::inline v0 {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kMostShown = 100;

// isalnum() depends on the locale.
bool is_plain(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         c == '_';
}

bool is_identifier(std::string_view name) noexcept {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), is_plain) &&
         !(name.front() >= '0' && name.front() <= '9');
}

}  // namespace

Result<SqlFence> SqlFence::of(std::string_view table, std::string_view key,
                              std::string_view column) {
  for (const std::string_view name : {table, key, column}) {
    if (is_identifier(name)) continue;
    return Failure(
        Errc::bad_argument,
        base::in_quotes(printable(name.substr(0, kMostShown))) +
            " cannot be the table or a column of a fence: use a name of at "
            "most 64 letters, digits and _ that does not begin with a digit");
  }
  const std::string from(table);
  const std::string of_row = " WHERE " + std::string(key) + " = ?";
  const std::string last(column);
  SqlFence fence;
  fence.assignment_ = last + " = ?";
  fence.condition_ = last + " <= ?";
  fence.admission_ = "UPDATE " + from + " SET " + fence.assignment_ + of_row + " AND " +
                     fence.condition_;
  fence.question_ = "SELECT " + last + " FROM " + from + of_row;
  return fence;
}

Result<void> SqlFence::explain_no_match(FencingToken token,
                                        std::optional<FencingToken> last) {
  if (!token) return base::empty_token("the fence of the row");
  if (!last)
    return Failure(
        Errc::bad_argument,
        "the row that the fence protects does not exist: insert it, with the "
        "token 0, before it is fenced");
  if (*last <= token) return {};
  return base::stale_token("the row", token, *last);
}

}  // namespace holdfast::inline v0

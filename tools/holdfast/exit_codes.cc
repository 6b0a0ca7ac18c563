// SPDX-License-Identifier: Apache-2.0

#include "exit_codes.h"

#include <array>

#include "holdfast/result.h"

namespace holdfast::cli {
namespace {

// The words are in the order of Errc, which begins at 1.
constexpr std::array<std::string_view, static_cast<std::size_t>(Errc::internal)> kWords{
    "timed_out",    "cancelled",  "not_held",  "unavailable",  "outcome_unknown",
    "unsupported",  "wrong_kind", "bad_name",  "bad_url",      "bad_config",
    "bad_argument", "no_engine",  "denied",    "incompatible", "full",
    "closed",       "forked",     "not_owner", "stale_token",  "would_deadlock",
    "internal"};
static_assert(kWords[static_cast<std::size_t>(Errc::denied) - 1] == "denied");
static_assert(kWords.back() == "internal");

}  // namespace

int exit_code_of(const std::error_code& why) noexcept {
  if (why.category() != error_category()) return kInternal;
  switch (static_cast<Errc>(why.value())) {
    case Errc::timed_out:
      return kNotAcquired;
    case Errc::not_held:
      return kNothing;
    case Errc::unavailable:
    case Errc::outcome_unknown:
      return kUnavailable;
    case Errc::bad_name:
    case Errc::wrong_kind:
      return kBadName;
    case Errc::bad_url:
    case Errc::bad_config:
    case Errc::no_engine:
    case Errc::unsupported:
      return kConfig;
    case Errc::bad_argument:
      return kUsage;
    case Errc::denied:
      return kDenied;
    case Errc::incompatible:
    case Errc::full:
      return kCannotCreate;
    default:
      return kInternal;
  }
}

std::string_view error_word(const std::error_code& why) noexcept {
  const auto index = static_cast<std::size_t>(why.value()) - 1;
  const bool ours = why.category() == error_category() && index < kWords.size();
  return ours ? kWords[index] : "internal";
}

}  // namespace holdfast::cli

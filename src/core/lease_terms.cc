// SPDX-License-Identifier: Apache-2.0

#include "core/lease_terms.h"

#include <algorithm>

#include "base/common_failures.h"
#include "core/renewal_schedule.h"

namespace holdfast::core {
namespace {

// It never ends in practice, and every engine can still add it to its clock.
constexpr engine::LeaseTime kLongestLease = std::chrono::hours(24 * 365 * 100);

// Returns whether the lease would be over for its holder even if the engine answered at
// once.
bool is_over_at_once(engine::LeaseTime lease) noexcept {
  return deadline_of(Clock::time_point{}, lease) <= Clock::time_point{};
}

// Returns the length of the lease, unless a cap ends it earlier.
engine::LeaseTime span_of(const LeaseOptions& options,
                          std::chrono::milliseconds ttl) noexcept {
  return std::min(kLongestLease,
                  Timeout(options.ttl.count() != 0 ? options.ttl : ttl).span());
}

Failure bad_lease(std::string_view name, const char* why) {
  return {Errc::bad_argument, "the lease of " + base::in_quotes(name) + " " + why};
}

}  // namespace

bool LeaseTerms::timed(bool leased) const noexcept {
  return leased || lease.count() != 0;
}

Result<void> check_lease(std::string_view name, const LeaseOptions& options,
                         std::chrono::milliseconds ttl) {
  if (options.ttl.count() < 0) {
    return bad_lease(name,
                     "must not be negative: set its ttl to zero for the client's");
  }
  if (options.cap.is_zero()) {
    return bad_lease(name, "would end at once: set its cap to more than zero");
  }
  if (is_over_at_once(std::min(span_of(options, ttl), options.cap.span()))) {
    return bad_lease(
        name,
        "is over before it can be used if it is 2 ms or less, because that "
        "much is taken off for clock drift: ask for a longer one");
  }
  return {};
}

LeaseTerms terms_for(const LeaseOptions& options, std::chrono::milliseconds ttl,
                     bool leased, bool session_bound) noexcept {
  const engine::LeaseTime span = span_of(options, ttl);
  const engine::LeaseTime whole = std::min(span, options.cap.span());
  if (!options.renewed) {
    if (!session_bound) return {whole, false, options.cap};
    return {std::min<engine::LeaseTime>(whole, ttl), true, Timeout(whole)};
  }
  if (!leased) {
    if (options.cap.is_forever()) return {};
    return {options.cap.span(), false, options.cap};
  }
  const bool sessions = options.ttl.count() == 0 && options.cap.span() >= span;
  return {sessions ? engine::LeaseTime{} : whole, true, options.cap};
}

}  // namespace holdfast::core

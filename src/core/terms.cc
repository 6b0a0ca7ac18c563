#include "core/terms.h"

#include <algorithm>

namespace holdfast::core {

Result<Terms> terms_for(const LeaseOptions& options, std::chrono::milliseconds ttl,
                        bool leased, bool sessional) {
  if (options.ttl.count() < 0) {
    return Failure(Errc::bad_argument, "a lease cannot be shorter than no time");
  }
  if (options.cap.is_zero()) {
    return Failure(Errc::bad_argument, "a lease capped at zero ends before it begins");
  }
  const engine::Lease span =
      Timeout(options.ttl.count() != 0 ? options.ttl : ttl).span();
  const bool capped = !options.cap.is_forever();

  if (!options.renewed) {
    if (sessional) {
      const engine::Lease whole = std::min(span, options.cap.span());
      return Terms{std::min<engine::Lease>(whole, ttl), true, Timeout(whole)};
    }
    return Terms{std::min(span, options.cap.span()), false, options.cap};
  }
  if (!leased) {
    if (!capped) return Terms{};
    return Terms{options.cap.span(), false, options.cap};
  }
  if (options.ttl.count() == 0 && options.cap.span() >= span) {
    return Terms{engine::Lease{}, true, options.cap};
  }
  return Terms{std::min(span, options.cap.span()), true, options.cap};
}

}  // namespace holdfast::core


#include "exit_codes.h"

#include "holdfast/result.h"

namespace holdfast::cli {

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

}  // namespace holdfast::cli

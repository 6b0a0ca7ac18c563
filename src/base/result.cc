// SPDX-License-Identifier: Apache-2.0

#include "holdfast/result.h"

#include <exception>

namespace holdfast::inline v0 {
namespace {

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "holdfast"; }

  std::string message(int value) const override {
    switch (static_cast<Errc>(value)) {
      case Errc::timed_out:
        return "timed out: another client still has it";
      case Errc::cancelled:
        return "the wait was cancelled by the caller";
      case Errc::not_held:
        return "not held: it was lost, released or never granted";
      case Errc::unavailable:
        return "the engine could not be reached or did not answer in time";
      case Errc::outcome_unknown:
        return "the engine was asked, but its answer is lost: it may have been done";
      case Errc::unsupported:
        return "this engine cannot give what was asked for";
      case Errc::wrong_kind:
        return "the name is used by another kind of primitive";
      case Errc::bad_name:
        return "a name is 1 to 512 bytes of UTF-8 without control characters";
      case Errc::bad_url:
        return "the URL cannot be understood";
      case Errc::bad_config:
        return "the configuration file cannot be understood";
      case Errc::bad_argument:
        return "an argument is out of range";
      case Errc::no_engine:
        return "no such engine, or it is not built in";
      case Errc::denied:
        return "permission denied";
      case Errc::incompatible:
        return "the stored state is foreign, damaged or of another version";
      case Errc::full:
        return "there is no room left";
      case Errc::closed:
        return "the client was closed; open another one";
      case Errc::forked:
        return "the client belongs to the parent process; open another one in the "
               "child";
      case Errc::not_owner:
        return "the lock is not held by this thread";
      case Errc::stale_token:
        return "a larger fencing token was here before";
      case Errc::would_deadlock:
        return "the caller would wait for itself";
      case Errc::internal:
        return "internal error";
    }
    return "unknown error " + std::to_string(value);
  }

  std::error_condition default_error_condition(int value) const noexcept override {
    switch (static_cast<Errc>(value)) {
      case Errc::timed_out:
        return std::errc::timed_out;
      case Errc::cancelled:
        return std::errc::operation_canceled;
      case Errc::unsupported:
        return std::errc::operation_not_supported;
      case Errc::bad_argument:
        return std::errc::invalid_argument;
      case Errc::denied:
        return std::errc::permission_denied;
      case Errc::not_owner:
        return std::errc::operation_not_permitted;
      default:
        return {value, *this};
    }
  }
};

}  // namespace

const std::error_category& error_category() noexcept {
  // It is never destroyed, because error codes may be compared while the process ends.
  static const auto* const category = new Category;
  return *category;
}

Failure::Failure(const Failure& other) noexcept : code(other.code) {
  try {
    context = other.context;
  } catch (const std::exception&) {
    context.clear();
  }
}

Failure& Failure::operator=(const Failure& other) noexcept {
  if (this != &other) *this = Failure(other);
  return *this;
}

std::string Failure::message() const {
  return context.empty() ? code.message() : context;
}

}  // namespace holdfast::inline v0

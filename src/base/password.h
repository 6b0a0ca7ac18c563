// base/password.h - where a password comes from.

#pragma once

#include <string>

#include "base/secret.h"
#include "holdfast/result.h"

namespace holdfast::base {

// The URL's; or the first line of `file`, if one is named; or $HOLDFAST_PASSWORD, or
// none. Errc::denied: the file cannot be read.
Result<Secret> read_password(const Secret& in_url, const std::string& file);

}  // namespace holdfast::base

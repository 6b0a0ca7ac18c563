// base/identity.h - who we are, for those who wait for us.

#pragma once

#include <string>

namespace holdfast::base {

// "host:pid:program", without control characters.
std::string process_identity();

}  // namespace holdfast::base

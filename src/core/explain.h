// core/explain.h - why a lock was not had, for a person.

#pragma once

#include <string>

#include "core/bound.h"
#include "holdfast/timeout.h"

namespace holdfast::core {

// lock "stock/1001" is held by web-07:4121:report since 12 s (token 184)
//
// Asks the engine; says less if that does not answer within half a second.
std::string explain_timeout(const Bound& bound, Timeout wait);

}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/vacancy.h - waits until nobody has a name, without taking it.

#pragma once

#include <string>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"
#include "standing.h"

namespace holdfast::cli {

// Until nobody holds it, as whatever kind, and nobody waits for it: what passes from
// one to the next is not free. Not empty: who was in the way when the time had passed.
// Errc::cancelled: the stop was requested.
Result<std::vector<Standing>> wait_until_free(const Client& client,
                                              const std::string& name,
                                              const AcquireOptions& options);

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/wait_free.h - waits until a name is free, without taking it.

#pragma once

#include <string>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"
#include "resource_status.h"

namespace holdfast::cli {

// Waits until the name has no holder and no waiter of any kind: a lock that passes from
// one client to the next is not free. A result that is not empty says who was in the
// way when the time had passed. Errc::cancelled means that the stop was requested.
Result<std::vector<ResourceStatus>> wait_until_free(const Client& client,
                                                    const std::string& name,
                                                    const WaitOptions& options);

}  // namespace holdfast::cli

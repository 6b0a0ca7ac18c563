// SPDX-License-Identifier: Apache-2.0

// base/probe.h - finds out what answers at a port before a client library waits for it
// in vain.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/uri.h"
#include "holdfast/clock.h"
#include "holdfast/result.h"

namespace holdfast::base {

// Describes what a kind of server says when it speaks first, or answers to a line of
// text that means nothing to it.
struct ServerProbe {
  std::string_view name;                      // such as "MySQL"
  bool (*is_foreign)(std::string_view said);  // True if such a server never says that.
};

// Errc::unavailable means that every address of every host refuses connections.
// Errc::incompatible means that another kind of server answers. The probe succeeds as
// long as one host may be the right kind of server.
Result<void> probe(const std::vector<Host>& hosts, const ServerProbe& server,
                   Clock::time_point until);

}  // namespace holdfast::base

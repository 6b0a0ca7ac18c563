// base/probe.h - what is at a port, where a client library would wait in vain.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/uri.h"
#include "holdfast/clock.h"
#include "holdfast/result.h"

namespace holdfast::base {

// What a server says that speaks first, or to a line of text that means nothing to it.
struct ServerProbe {
  std::string_view name;                      // "MySQL"
  bool (*is_foreign)(std::string_view said);  // such a server never says that
};

// Errc::unavailable: every address of every host refuses connections.
// Errc::incompatible: what answers is another sort of server. Nothing: neither is
// certain, as long as one host may be what is looked for.
Result<void> probe(const std::vector<Host>& hosts, const ServerProbe& server,
                   Clock::time_point until);

}  // namespace holdfast::base

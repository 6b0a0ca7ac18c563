// SPDX-License-Identifier: Apache-2.0

// bench/storm.h - callers that lock and unlock as fast as they can: what they got.

#pragma once

#include "histogram.h"

namespace holdfast::bench {

struct Storm {
  double grants = 0;
  double seconds = 0;
  double fewest = 0;       // the grants of the caller that got fewest
  double most = 0;         // the grants of the caller that got most
  double handover_ms = 0;  // the median time from a grant to that of another process
  Histogram waits = {};    // from the call of lock() to its return
};

}  // namespace holdfast::bench

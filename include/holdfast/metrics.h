// SPDX-License-Identifier: Apache-2.0

// holdfast/metrics.h - hooks for counters and histograms.
//
//   struct Prometheus : holdfast::Metrics {
//     void acquired(std::string_view name, std::chrono::nanoseconds waited) override {
//       histogram(name).observe(waited);
//     }
//   };
//
// A hook that is not overridden does nothing. A client without metrics does not read
// the clock for them.

#pragma once

#include <chrono>
#include <string_view>
#include <system_error>

#include "holdfast/export.h"

namespace holdfast::inline v0 {

// The hooks are called from any thread, also concurrently. They must return quickly,
// must not throw and must not call back into the client. The object must outlive the
// client.
class HOLDFAST_EXPORT Metrics {
 public:
  virtual ~Metrics();

  // A claim on `name` was granted after `waited`, or not granted because of `why`.
  virtual void acquired(std::string_view name, std::chrono::nanoseconds waited);
  virtual void not_acquired(std::string_view name, std::error_code why);

  // A claim on `name` ended, in exactly one of these ways: it was given back; its time
  // was over as agreed, with a fixed lease or a cap (holdfast/lease.h); or it was lost
  // before that.
  virtual void released(std::string_view name);
  virtual void expired(std::string_view name);
  virtual void lost(std::string_view name);

  // `claims` claims were renewed in one call. `slack` is how much time was left before
  // the first of them would have ended.
  virtual void renewed(std::size_t claims, std::chrono::nanoseconds slack);
};

}  // namespace holdfast::inline v0

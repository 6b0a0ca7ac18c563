// holdfast/metrics.h - hooks for counters and histograms.
//
//   struct Prometheus : holdfast::Metrics {
//     void acquired(std::string_view name, std::chrono::nanoseconds waited) override;
//   };
//
// Hooks that are not overridden cost nothing. A client without metrics does not read a
// clock for them.

#pragma once

#include <chrono>
#include <string_view>
#include <system_error>

#include "holdfast/export.h"

namespace holdfast {

// Called from any thread, also concurrently; must return quickly, must not throw and
// must not call back into the client. Has to outlive the client.
class HOLDFAST_EXPORT Metrics {
 public:
  virtual ~Metrics();
  virtual void acquired(std::string_view name, std::chrono::nanoseconds waited);
  virtual void not_acquired(std::string_view name, std::error_code why);
  virtual void released(std::string_view name);
  virtual void lost(std::string_view name);
  // Of all claims renewed together: how long the first of them still had to live.
  virtual void renewed(std::size_t claims, std::chrono::nanoseconds slack);
};

}  // namespace holdfast

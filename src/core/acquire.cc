// SPDX-License-Identifier: Apache-2.0

#include "core/acquire.h"

#include "core/acquisition.h"

namespace holdfast::core {

Result<LeaseStart> acquire(const BoundResourcePtr& bound,
                           const AcquireRequest& request) {
  return Acquisition(bound, request, Acquisition::Form::blocking).acquire();
}

}  // namespace holdfast::core

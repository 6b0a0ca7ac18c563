// SPDX-License-Identifier: Apache-2.0

// core/lease_storage.h - the memory of a lease, where its claim is asked for first.
//
// An asynchronous call asks the engine and then makes a lease of the grant. What it
// asks with is of no use any more when the lease begins, so both lie in one place and
// are allocated once.

#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "core/attempts.h"
#include "core/lease.h"

namespace holdfast::core {

// The class is not safe for concurrent use.
class LeaseStorage {
 public:
  LeaseStorage(const BoundResourcePtr& bound, const AcquireRequest& request,
               const LeaseTerms& terms, const Attempts::Params& params)
      : state_(std::in_place_type<Attempts>, bound, request, terms, params) {}

  // REQUIRES: the lease has not begun.
  Attempts& attempts() noexcept { return std::get<Attempts>(state_); }

  // Ends the attempts and begins the lease, which keeps the storage. Throws what the
  // constructor of a Lease throws.
  static std::shared_ptr<Lease> begin(std::shared_ptr<LeaseStorage> storage,
                                      std::shared_ptr<ClientState> client_state,
                                      const BoundResourcePtr& bound,
                                      const LeaseStart& start,
                                      const LeaseOptions& options) {
    Lease& lease =
        storage->state_.emplace<Lease>(std::move(client_state), bound, start, options);
    return {std::move(storage), &lease};
  }

 private:
  std::variant<Attempts, Lease> state_;
};

}  // namespace holdfast::core

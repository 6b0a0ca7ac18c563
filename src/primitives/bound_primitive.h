// SPDX-License-Identifier: Apache-2.0

// primitives/bound_primitive.h - a named resource, or why it cannot be used.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/access.h"
#include "core/client_state.h"
#include "holdfast/client.h"

namespace holdfast::primitives {

// Most primitives are built on it. A constructor returns no error, so each later call
// reports that the name could not be bound.
class BoundPrimitive {
 public:
  BoundPrimitive(Client client, engine::Kind kind, std::string name)
      : client_(std::move(client)), name_(std::move(name)) {
    auto bound = core::Access::state(client_)->bind({kind, name_});
    if (bound) {
      bound_ = *std::move(bound);
    } else {
      why_ = std::move(bound).error();
    }
  }

  // Returns no value if the primitive can be used.
  const std::optional<Failure>& bind_error() const noexcept { return why_; }

  // REQUIRES: there is no `bind_error`.
  const core::BoundResourcePtr& bound() const noexcept { return bound_; }
  engine::Resource& resource() const noexcept { return bound_->resource(); }

  const std::shared_ptr<core::ClientState>& state() const noexcept {
    return core::Access::state(client_);
  }
  const Client& client() const noexcept { return client_; }
  const std::string& name() const noexcept { return name_; }
  std::string quoted() const { return "\"" + name_ + "\""; }

 private:
  const Client client_;  // comes first, because it must outlive `bound_`
  const std::string name_;
  core::BoundResourcePtr bound_;
  std::optional<Failure> why_;
};

// Returns false for Errc::timed_out only and throws any other error, so that `false`
// never hides a failure.
inline bool true_or_throw(const Result<void>& outcome) {
  if (!outcome && outcome.error().code == Errc::timed_out) return false;
  outcome.value();
  return true;
}

}  // namespace holdfast::primitives

// primitives/bound_primitive.h - a resource by its name, or why it cannot be had.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/client_state.h"
#include "holdfast/client.h"

namespace holdfast::primitives {

// What every primitive begins with. A bad name is told by each later call.
class BoundPrimitive {
 public:
  BoundPrimitive(Client client, engine::Kind kind, std::string name)
      : client_(std::move(client)), name_(std::move(name)) {
    auto bound = client_.state()->bind({kind, name_});
    if (bound) {
      bound_ = *std::move(bound);
    } else {
      why_ = std::move(bound).error();
    }
  }

  // Nothing: it can be used.
  const std::optional<Failure>& trouble() const noexcept { return why_; }

  // REQUIRES: no trouble.
  const core::BoundPtr& bound() const noexcept { return bound_; }
  engine::Resource& resource() const noexcept { return bound_->resource(); }

  const std::shared_ptr<core::ClientState>& state() const noexcept {
    return client_.state();
  }
  const Client& client() const noexcept { return client_; }
  const std::string& name() const noexcept { return name_; }
  std::string quoted() const { return "\"" + name_ + "\""; }

 private:
  const Client client_;  // outlives what is bound
  const std::string name_;
  core::BoundPtr bound_;
  std::optional<Failure> why_;
};

// As a `bool` that hides no failure: false means contention alone.
inline bool true_or_throw(const Result<void>& outcome) {
  if (!outcome && outcome.error().code == Errc::timed_out) return false;
  outcome.value();
  return true;
}

}  // namespace holdfast::primitives

// base/partial_resource.h - a resource of the waist that supports only a part of it.
//
//   class NumberResource final : public base::PartialResource { ... };  // no claims
//
// A call that the derived class does not override is unsupported; `survey` then returns
// no claims, and `evict` finds none.

#pragma once

#include <optional>
#include <vector>

#include "holdfast/engine/session.h"

namespace holdfast::base {

class PartialResource : public engine::Resource {
 public:
  Result<engine::Verdict> attempt(const engine::Claim& /*claim*/,
                                  const engine::Waker& /*waker*/,
                                  engine::Deadline /*until*/) override {
    return Errc::unsupported;
  }
  Result<engine::Granted> amend(const engine::Claim& /*held*/,
                                const engine::Claim& /*wanted*/,
                                engine::Deadline /*until*/) override {
    return Errc::unsupported;
  }
  Result<void> drop(const engine::Claim& /*claim*/,
                    engine::Deadline /*until*/) override {
    return Errc::unsupported;
  }

  Result<engine::Value> load(engine::Deadline /*until*/) override {
    return Errc::unsupported;
  }
  Result<engine::Value> add(std::int64_t /*by*/, engine::Ticket /*ticket*/,
                            engine::Deadline /*until*/) override {
    return Errc::unsupported;
  }
  Result<engine::Exchanged> exchange(const engine::Value& /*from*/,
                                     std::optional<std::int64_t> /*to*/,
                                     engine::Ticket /*ticket*/,
                                     engine::Deadline /*until*/) override {
    return Errc::unsupported;
  }

  Result<std::vector<engine::Entry>> survey(std::size_t /*limit*/,
                                            engine::Deadline /*until*/) override {
    return std::vector<engine::Entry>{};
  }
  Result<void> evict(std::string_view /*owner*/, engine::Deadline /*until*/) override {
    return Errc::not_held;
  }
};

}  // namespace holdfast::base

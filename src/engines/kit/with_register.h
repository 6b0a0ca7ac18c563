// SPDX-License-Identifier: Apache-2.0

// engines/kit/with_register.h - a resource of the waist that has a number.
//
//   class RegisterResource final
//       : public kit::WithRegister<RegisterResource, EtcdResource> {
//    public:
//     Register& number() noexcept { return register_; }
//     ...
//
// It hands `load`, `add` and `exchange` on to what `number()` of the class returns, an
// object that does what engine::Resource says of them. That may be made for the call.

#pragma once

#include <cstdint>
#include <optional>

#include "holdfast/engine/session.h"

namespace holdfast::kit {

template <class Self, class Base = engine::Resource>
class WithRegister : public Base {
 public:
  using Base::Base;

  Result<engine::Value> load(engine::Deadline until) override {
    return self().number().load(until);
  }
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until) override {
    return self().number().add(by, ticket, until);
  }
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket,
                                     engine::Deadline until) override {
    return self().number().exchange(from, to, ticket, until);
  }

 private:
  Self& self() noexcept { return static_cast<Self&>(*this); }
};

}  // namespace holdfast::kit

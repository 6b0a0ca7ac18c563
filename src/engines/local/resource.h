// SPDX-License-Identifier: Apache-2.0

// engines/local/resource.h - the waist's resource over one name of a segment.

#pragma once

#include <cstdint>
#include <memory>

#include "engines/kit/with_register.h"
#include "engines/local/bound_record.h"
#include "engines/local/registers.h"
#include "holdfast/engine/session.h"

namespace holdfast::local {

class LocalResource final : public kit::WithRegister<LocalResource> {
 public:
  LocalResource(std::shared_ptr<ProcessSlot> process, const engine::Address& address,
                RecordRef ref);

  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) override;
  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;

  Registers number() noexcept { return Registers(record_); }

  Result<engine::Watch> watch(const engine::Waker& waker,
                              engine::Deadline until) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;
  Result<void> evict(std::string_view owner, engine::Deadline until) override;

  // Session::renew calls this.
  Result<engine::Granted> renew(const engine::Claim& claim, engine::Deadline until);

 private:
  [[gnu::noinline]] Result<engine::Verdict> attempt_crowded(const engine::Claim& claim,
                                                            const engine::Waker& waker,
                                                            engine::Deadline until,
                                                            std::uint64_t word);
  [[gnu::noinline]] bool give_back_open(const engine::Claim& claim,
                                        std::uint64_t word) noexcept;

  const bool plain_kind_;  // Its free lock is taken and dropped without a guard.
  const bool barges_;      // It is taken so even while claims wait, if it is open.
  BoundRecord record_;
};

}  // namespace holdfast::local

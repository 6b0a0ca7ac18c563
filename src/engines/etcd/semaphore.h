// SPDX-License-Identifier: Apache-2.0

// engines/etcd/semaphore.h - semaphores.
//
//   N/claims/<lease>-<ticket>   "<permits> <payload>"
//   N/permits                   the capacity; behind it, if it was changed while claims
//                               were granted, the revision of the last of these
//
// Claims are granted in the order of the queue: a claim is granted when its permits and
// those of all claims ahead of it fit into the capacity. So the granted claims are the
// first ones of the queue, and one revision separates them from the others.

#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "engines/etcd/registers.h"
#include "engines/etcd/resource.h"

namespace holdfast::etcd {

// This is what the value of a claim's key says.
struct PermitClaim {
  std::uint32_t permits = 1;
  std::string payload;
};
PermitClaim read_permit_claim(const std::string& value);

struct PermitCount {
  std::uint32_t permits = 0;
  std::int64_t admitted_until =
      0;  // claims up to it are granted, whether they fit or not
};
std::optional<PermitCount> read_permit_count(const wire::KeyValue& permits);

// Reads the keys below N, in the order of their creation, as the queue of the claim
// that was created at `revision` and wants so many permits. Claims after it make no
// difference to it. Returns false if one of the keys is not a semaphore's.
bool read_permit_queue(const wire::RangeResponse& keys, std::string_view below,
                       std::int64_t revision, std::uint32_t permits,
                       kit::QueueSnapshot& queue);

class SemaphoreQueue final : public Queue {
 public:
  SemaphoreQueue(Backend& backend, std::string key)
      : Queue(backend, std::move(key), engine::Kind::semaphore) {}

  Result<kit::Capacity> set_capacity(const ClaimState& state,
                                     const engine::Claim& claim,
                                     engine::Deadline until) override;
  Result<void> rewrite(ClaimState& state, const engine::Claim& wanted,
                       engine::Deadline until) override;

 private:
  std::string new_key(std::int64_t lease, const engine::Claim& claim) override;
  std::string value_of(const engine::Claim& claim) const override;
  void add_queries(Txn::Branch branch, const engine::Claim& claim,
                   std::int64_t revision) const override;
  Result<bool> read(const engine::Claim& claim, const ClaimState& state,
                    Snapshot& queue, engine::Deadline until) override;
};

class SemaphoreResource final : public ClaimResource {
 public:
  SemaphoreResource(const std::shared_ptr<Backend>& backend, std::string key);

  Result<engine::Value> load(engine::Deadline until) override;
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until) override;
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket,
                                     engine::Deadline until) override;

 private:
  Result<std::string> note_admitted(engine::Deadline until);

  Register permits_;
};

}  // namespace holdfast::etcd

// engines/etcd/semaphore.h - permits.
//
//   N/claims/<lease>-<ticket>   "<permits> <payload>"
//   N/permits                   how many there are; behind that, if they were changed
//                               while some were in, the revision of the last of those
//
// Whoever came first is served first: a claim is let in when the permits of all that
// are ahead of it, and its own, fit. So those who are in are the first in line, and one
// revision tells them from the others.

#pragma once

#include "engines/etcd/queue.h"
#include "engines/etcd/registers.h"

namespace holdfast::etcd {

// What the key of a claim says.
struct PermitClaim {
  std::uint32_t permits = 1;
  std::string payload;
};
PermitClaim read_permit_claim(const std::string& value);

struct PermitCount {
  std::uint32_t permits = 0;
  std::int64_t admitted_until = 0;  // who came up to then is in, whether it fits or not
};
std::optional<PermitCount> read_permit_count(const wire::KeyValue& permits);

class SemaphoreResource final : public ClaimResource {
 public:
  SemaphoreResource(std::shared_ptr<Backend> backend, std::string key);

  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) override;
  Result<engine::Value> load(engine::Deadline until) override;
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until) override;
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket,
                                     engine::Deadline until) override;

 private:
  std::string new_key(std::int64_t lease, const engine::Claim& claim) override;
  std::string value_of(const engine::Claim& claim) const override;
  void add_queries(Txn::Branch branch, const engine::Claim& claim,
                   std::int64_t revision) const override;
  Result<QueueSnapshot> evaluate(const engine::Claim& claim, ClaimState& state,
                                 const wire::TxnResponse& answer,
                                 engine::Deadline until) override;

  // The first to name a number of permits stores it.
  Result<void> store(std::uint32_t capacity, const ClaimState& state,
                     engine::Deadline until);
  Result<std::string> note_admitted(engine::Deadline until);

  Register permits_;
};

}  // namespace holdfast::etcd

// SPDX-License-Identifier: Apache-2.0

// engines/redis/resource.h - the waist's resource over one layout.

#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "engines/kit/with_register.h"
#include "engines/redis/backend.h"
#include "engines/redis/layout.h"
#include "engines/redis/names.h"
#include "engines/redis/registers.h"
#include "holdfast/engine/sent_call.h"
#include "holdfast/engine/session.h"

namespace holdfast::redis {

class RedisResource final : public kit::WithRegister<RedisResource>,
                            public engine::SplitCalls {
 public:
  // `slot` is that of the name's keys in a cluster, and zero elsewhere.
  RedisResource(std::shared_ptr<Backend> backend, const engine::Address& address,
                Slot slot);

  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  engine::Posted<engine::Verdict> post_attempt(const engine::Claim& claim,
                                               const engine::Waker& waker,
                                               const engine::Waker& answered,
                                               engine::Deadline until) override;
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) override;
  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;
  std::unique_ptr<engine::SentCall<engine::Verdict>> send_attempt(
      const engine::Claim& claim) override;
  std::unique_ptr<engine::SentCall<void>> send_drop(
      const engine::Claim& claim) override;
  engine::Posted<void> post_drop(const engine::Claim& claim,
                                 const engine::Waker& answered,
                                 engine::Deadline until) override;

  Registers number() noexcept;

  Result<engine::Watch> watch(const engine::Waker& waker,
                              engine::Deadline until) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;
  Result<void> evict(std::string_view owner, engine::Deadline until) override;

  const Layout& layout() const noexcept;
  Slot slot() const noexcept;

  // Adds one claim's keys to a renewal.
  void add_renewal(Invocation& batch, const engine::Claim& claim) const;
  // Returns one of these keys.
  std::string renewal_key(Part part, const engine::Claim& claim) const;

 private:
  KeyNames key_names() const noexcept;
  Result<Reply> run(const Invocation& call, engine::Deadline until);
  Invocation call(const Verb& verb, std::string_view owner) const;
  void add_args(Invocation& call, const Verb& verb, const engine::Claim& claim) const;
  void add_details(Invocation& call, const engine::Claim& claim) const;
  engine::LeaseTime lease_of(const engine::Claim& claim) const noexcept;

  // This says of which client the last holder was that kept a claim of this client
  // waiting.
  enum class Contention : std::uint8_t { none, ours, foreign };

  bool needs_channel() const noexcept;
  std::string channel_of(const engine::Claim& claim) const;
  std::shared_ptr<Waiter> known_waiter(const engine::Claim& claim,
                                       const engine::Waker& waker,
                                       engine::Deadline until);
  std::shared_ptr<Waiter> listen(const engine::Claim& claim, const engine::Waker& waker,
                                 engine::Deadline until);
  std::optional<engine::Granted> take_grant(const engine::Claim& claim,
                                            Waiter& waiter) const noexcept;

  std::optional<Failure> refusal_of(const engine::Claim& claim) const;
  bool lacks_subscription(const Waiter* waiter) const noexcept;
  Invocation attempt_call(const engine::Claim& claim, const Waiter* waiter) const;
  engine::Posted<engine::Verdict> posted_verdict(const engine::Claim& claim,
                                                 const engine::Waker& waker,
                                                 engine::Deadline until);
  std::optional<Failure> posted_failure(const engine::Claim& claim,
                                        engine::Deadline until);
  void adjust_wait(engine::Verdict& verdict, const engine::Claim& claim,
                   const std::shared_ptr<Waiter>& waiter);
  Result<engine::Verdict> ask(const engine::Claim& claim, Waiter* waiter,
                              engine::Deadline until);
  Result<engine::Verdict> read_attempt(const engine::Claim& claim, Result<Reply> reply,
                                       Waiter* waiter, Clock::time_point sent);
  Result<engine::Verdict> read_verdict(const engine::Claim& claim, ReplyView reply,
                                       Waiter* waiter, Clock::time_point sent);
  std::chrono::nanoseconds retry_after(std::int64_t pttl) const;
  std::chrono::nanoseconds schedule_keepalive(const engine::Claim& claim,
                                              const std::shared_ptr<Waiter>& waiter,
                                              std::chrono::nanoseconds pause);
  Invocation drop_call(std::string_view owner, const engine::Claim& claim,
                       bool tombstone, bool evicted) const;
  Result<void> read_drop(engine::Ticket ticket, bool in_doubt,
                         const Result<Reply>& reply);

  std::string_view name() const noexcept;

  // A client may have very many resources: a std::string would take more memory, and so
  // would a pointer to the layout.
  const std::shared_ptr<Backend> backend_;
  const std::unique_ptr<char[]> name_;
  const std::uint16_t name_size_;
  const Slot slot_;
  const engine::Kind kind_;
  std::atomic<Contention> contention_{Contention::none};
};

}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

#include "conformance/claim_lock.h"

#include <algorithm>
#include <atomic>
#include <stop_token>
#include <utility>
#include <variant>

#include "support/scale.h"

namespace holdfast::test {

using engine::Blocked;
using engine::Granted;

engine::Ticket next_ticket() noexcept {
  static std::atomic<std::uint64_t> last{1'000'000'000};
  return engine::Ticket{++last};
}

engine::Deadline soon() { return Clock::now() + patience(); }

ClaimLock::ClaimLock(Client client, const engine::Address& address, engine::Claim like)
    : client_(std::move(client)),
      resource_(client_.session().bind(address).value()),
      claim_(like),
      signal_(client_.session().signal()) {}

ClaimLock::~ClaimLock() {
  if (placed_) (void)resource_->drop(claim_, soon());
}

Result<engine::Verdict> ClaimLock::attempt(bool waits) {
  auto verdict = resource_->attempt(claim_, waits ? signal_ : nullptr, soon());
  held_ = verdict && std::holds_alternative<Granted>(*verdict);
  placed_ = held_ || waits;
  return verdict;
}

Result<FencingToken> ClaimLock::acquire(WaitOptions options) {
  const engine::Deadline end = options.wait.deadline();
  const std::stop_callback on_stop(options.stop, [this] { signal_->ring(); });
  claim_.ticket = next_ticket();
  while (!options.stop.stop_requested()) {
    auto verdict = attempt(!options.wait.is_zero());
    if (!verdict) return verdict.error();
    if (held_) return std::get<Granted>(*verdict).token;
    const Timeout pause = std::get<Blocked>(*verdict).retry_after;
    if (Clock::now() >= end) break;
    signal_->wait(std::min(end, pause.deadline()));
  }
  if (placed_) (void)release();
  return options.stop.stop_requested() ? Errc::cancelled : Errc::timed_out;
}

Result<void> ClaimLock::release() {
  placed_ = held_ = false;
  return resource_->drop(claim_, soon());
}

bool ClaimLock::begin() {
  claim_.ticket = next_ticket();
  return again();
}

bool ClaimLock::again() {
  attempt(true).value();
  return held_;
}

}  // namespace holdfast::test

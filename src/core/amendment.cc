// SPDX-License-Identifier: Apache-2.0

#include "core/amendment.h"

#include <exception>
#include <utility>

#include "base/ask_engine.h"
#include "base/common_failures.h"
#include "base/identity.h"
#include "core/client_state.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

// The waker rings when the other change ends; this only bounds the sleep.
constexpr auto kLongestTurn = 1h;

std::string payload_for(const Lease& lease, const engine::Claim& wanted) {
  if (!wanted.payload.empty()) return std::string(wanted.payload);
  return base::payload_with_reason(lease.bound()->client().payload());
}

bool is_same(const engine::Claim& a, const engine::Claim& b) noexcept {
  return a.permits == b.permits && a.mode == b.mode;
}

}  // namespace

Amendment::Amendment(Lease& lease, const engine::Claim& wanted)
    : lease_(lease),
      held_(lease.claim()),
      payload_(payload_for(lease, wanted)),
      wanted_(wanted),
      loop_(*lease.bound(), Timeout::forever(), nullptr) {
  wanted_.ticket = held_.ticket;
  wanted_.payload = payload_;
}

Result<void> Amendment::run() {
  Result<void> ended;
  try {
    ended = loop_.run(WaitLoop::First::bare,
                      [this](const engine::Waker& waker) { return poll_once(waker); });
  } catch (const std::exception& error) {
    ended = base::out_of_resources(error, "change the hold of", lease_.bound()->name());
  }
  return finish(ended);
}

Result<WaitLoop::Step> Amendment::step(const engine::Waker& waker) {
  return loop_.step(waker,
                    [this](const engine::Waker& self) { return poll_once(self); });
}

Result<WaitLoop::Pause> Amendment::poll_once(const engine::Waker& waker) {
  if (!begun_) {
    const auto begun = begin(waker);
    if (!begun.has_value()) return begun.error();
    if (!*begun) return WaitLoop::Pause(kLongestTurn);
  }
  sent_ = Clock::now();
  auto answer = base::ask_engine([this] {
    return lease_.bound()->resource().amend(held_, wanted_, loop_.call_deadline(sent_));
  });
  if (!answer) return std::move(answer).error();
  answer_ = *answer;
  return WaitLoop::Pause();
}

// Returns false while another change is under way.
Result<bool> Amendment::begin(const engine::Waker& waker) {
  if (auto ready = lease_.prepare_change(); !ready) return std::move(ready).error();
  auto lease = lease_.bound()->client().renewer().begin_change(lease_, waker);
  if (!lease) return std::move(lease).error();
  if (!*lease) return false;
  begun_ = true;
  wanted_.lease = **lease;
  if (is_same(lease_.claim(), held_)) return true;
  return Failure(Errc::bad_argument,
                 "the hold of " + base::in_quotes(lease_.bound()->name()) +
                     " was changed by another call: wait for that call first");
}

// The change is over before a sentence is made, for which there may be no memory.
Result<void> Amendment::finish(const Result<void>& ended) noexcept {
  const bool lost = begun_ && !end(ended);
  try {
    if (!lost) return ended;
    return base::no_longer_held(lease_.bound()->name());
  } catch (const std::exception&) {
    return lost ? Failure(Errc::not_held) : Failure(ended.error().code);
  }
}

// Returns false if the lease was lost meanwhile.
bool Amendment::end(const Result<void>& ended) noexcept {
  const auto answer = ended ? Result<engine::Granted>(*answer_)
                            : Result<engine::Granted>(Failure(ended.error().code));
  return lease_.bound()->client().renewer().end_change(lease_, lease_.claim(), wanted_,
                                                       sent_, answer);
}

}  // namespace holdfast::core

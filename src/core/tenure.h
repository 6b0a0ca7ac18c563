// core/tenure.h - what the keeper knows of one hold.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>

#include "core/bound.h"
#include "core/grant.h"

namespace holdfast::core {

// A stop_token that has been requested: of a hold that is none.
std::stop_token already_lost();

// Part of a hold, and known to the keeper from `adopt` until it is lost or forgotten;
// its owner calls `Keeper::forget` before it is destroyed. There may be very many of
// them: what signals the loss is only made when `lost_token` is called. Safe for
// concurrent use.
//
//   live --the keeper says so--> lost
//   live --the holder says so--> ended
class Tenure {
 public:
  Tenure(BoundPtr bound, const engine::Claim& claim, std::uint64_t turn) noexcept;
  Tenure(const Tenure&) = delete;
  Tenure& operator=(const Tenure&) = delete;

  const BoundPtr& bound() const noexcept { return bound_; }
  // As it is renewed and dropped: without what matters only until it is granted.
  engine::Claim claim() const noexcept {
    return {.ticket = ticket_,
            .lease = lease_,
            .permits = permits_.load(),
            .mode = mode_.load()};
  }
  std::uint64_t turn() const noexcept { return turn_; }
  std::uint64_t id() const noexcept { return id_; }

  bool live() const noexcept { return state_.load() == State::live; }
  std::chrono::nanoseconds valid_for() const noexcept;
  void extend(Clock::time_point deadline) noexcept;

  // While the claim is being changed at the engine, a renewal could name it wrongly: it
  // waits, and one that was under way is not believed if `changes()` has changed.
  void begin_change() noexcept { ++changes_; }
  void end_change(const engine::Claim& as) noexcept;
  bool changing() const noexcept { return changes_.load() % 2 != 0; }
  std::uint16_t changes() const noexcept { return changes_.load(); }

  std::stop_token lost_token() const;

  // What `lost_token()` was made of; without a state: it was never called.
  // REQUIRES: no longer live.
  std::stop_source who_asked() const;

  // True for the first of them alone.
  bool lose() noexcept { return leave(State::lost); }
  bool end() noexcept { return leave(State::ended); }

 private:
  enum class State : std::uint8_t { live, lost, ended };
  bool leave(State next) noexcept {
    State expected = State::live;
    return state_.compare_exchange_strong(expected, next);
  }

  const BoundPtr bound_;
  const engine::Ticket ticket_;
  const engine::Lease lease_;
  const std::uint64_t turn_;
  const std::uint64_t id_;
  mutable std::stop_source source_{std::nostopstate};  // guarded by a stripe
  std::atomic<Clock::rep> deadline_{0};
  std::atomic<std::uint32_t> permits_;
  std::atomic<std::uint16_t> changes_{0};
  std::atomic<engine::Mode> mode_;
  std::atomic<State> state_{State::live};
};

}  // namespace holdfast::core

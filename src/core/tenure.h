// core/tenure.h - what the keeper knows of one hold.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>

#include "core/bound.h"
#include "core/grant.h"

namespace holdfast::core {

// A stop_token that has been requested: of a hold that is none.
std::stop_token already_lost();

// Shared by a hold and the keeper. Safe for concurrent use.
//
//   live --the keeper says so--> lost
//   live --the holder says so--> ended
class Tenure {
 public:
  Tenure(BoundPtr bound, const Grant& grant, Clock::time_point deadline) noexcept;

  const BoundPtr& bound() const noexcept { return bound_; }
  const engine::Claim& claim() const noexcept { return claim_; }
  std::uint64_t turn() const noexcept { return turn_; }
  std::uint64_t id() const noexcept { return id_; }

  std::stop_token lost_token() const noexcept { return source_.get_token(); }
  const std::stop_source& source() const noexcept { return source_; }

  bool live() const noexcept { return state_.load() == State::live; }
  std::chrono::nanoseconds valid_for() const noexcept;
  void extend(Clock::time_point deadline) noexcept;

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
  const engine::Claim claim_;
  const std::uint64_t turn_;
  const std::uint64_t id_;
  std::stop_source source_;
  std::atomic<Clock::rep> deadline_;
  std::atomic<State> state_{State::live};
};

}  // namespace holdfast::core

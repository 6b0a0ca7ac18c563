// core/acquirer.h - one acquisition, from the first attempt to its end.

#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

#include "core/acquire.h"
#include "core/hub.h"

namespace holdfast::core {

// Lives on the stack of `acquire`. Its claim either goes out with `run` or is given up.
class Acquirer {
 public:
  Acquirer(const BoundPtr& bound, const Want& want, const Terms& terms) noexcept
      : bound_(bound), hub_(bound->hub()), want_(want), terms_(terms) {}

  Result<Grant> run();

 private:
  Result<Grant> ask_safely();
  Result<Grant> ask();
  std::optional<Grant> accept(const engine::Granted& granted, Clock::time_point sent);
  void sleep_on_signal();
  Failure abandon(Failure why);

  // The reason to give up, if there is one: after an error, and at any time.
  std::optional<Failure> endure(const Failure& why);
  std::optional<Failure> over() const;
  bool stopped() const noexcept {
    return want_.stop != nullptr && want_.stop->stop_requested();
  }

  engine::Deadline call_deadline(Clock::time_point now) const noexcept;

  struct Ring {
    engine::Signal* signal;
    void operator()() const noexcept { signal->ring(); }
  };
  struct Waiting {
    explicit Waiting(Keeper& k) : keeper(k) { keeper.add_waiter(); }
    ~Waiting() { keeper.remove_waiter(); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    Keeper& keeper;
  };

  const BoundPtr& bound_;
  Hub& hub_;
  const Want& want_;
  const Terms& terms_;
  engine::Claim claim_{};
  Clock::time_point until_ = Clock::time_point::max();
  bool placed_ = false;             // the engine may know the claim
  std::optional<Failure> trouble_;  // since the last answer
  Clock::time_point trouble_since_{};
  std::chrono::nanoseconds pause_{};
  std::optional<SignalPool::Lent> signal_;
  std::optional<Waiting> waiting_;
  std::optional<std::stop_callback<Ring>> on_stop_;
};

}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

// shop/live/board.h - how far the run is: written by the run, read by the page.

#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "report/run.h"

namespace holdfast::shop {

enum class Phase : std::uint8_t {
  opening,  // a strategy's servers and services start
  selling,
  playing,  // scenes
  kept,     // over, and left open to play with
  over,
};

// It is safe for concurrent use.
class Board {
 public:
  explicit Board(Run run) : run_(std::move(run)) {}

  void turn(Phase phase);
  void begin_sale();        // with the next strategy of the plan
  void add(Moment moment);  // of this strategy
  void end_sale(SaleResult sale);
  void add(SceneResult played);

  // Returns {"phase":"selling","strategies":3,"scenes":0,"moment":120,"moments":[...]}:
  // how many of each there are, and the moments from this number on.
  std::string state_json(std::size_t from) const;

  // Returns what `tell` makes of the run as it is now.
  std::string told(const std::function<std::string(const Run&)>& tell) const;

  Run run() const;

 private:
  mutable std::mutex mutex_;
  Phase phase_ = Phase::opening;
  Run run_;
};

}  // namespace holdfast::shop

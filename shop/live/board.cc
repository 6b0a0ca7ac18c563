// SPDX-License-Identifier: Apache-2.0

#include "live/board.h"

#include <algorithm>
#include <utility>

#include "report/json.h"
#include "report/text.h"

namespace holdfast::shop {
namespace {

const char* name_of(Phase phase) {
  switch (phase) {
    case Phase::opening:
      return "opening";
    case Phase::selling:
      return "selling";
    case Phase::playing:
      return "playing";
    case Phase::kept:
      return "kept";
    case Phase::over:
      break;
  }
  return "over";
}

}  // namespace

void Board::turn(Phase phase) {
  const std::scoped_lock lock(mutex_);
  phase_ = phase;
}

void Board::begin_sale() {
  const std::scoped_lock lock(mutex_);
  phase_ = Phase::selling;
  run_.moments.push_back({.strategy = run_.sales.size(), .left = run_.options.stock});
}

void Board::add(Moment moment) {
  const std::scoped_lock lock(mutex_);
  moment.strategy = run_.sales.size();
  run_.moments.push_back(std::move(moment));
}

// The last moment is the result, so that a chart ends where the table does.
void Board::end_sale(SaleResult sale) {
  const std::scoped_lock lock(mutex_);
  Moment last = run_.moments.empty() ? Moment{} : run_.moments.back();
  last.strategy = run_.sales.size();
  last.seconds = std::max(last.seconds, sale.load.seconds);
  last.left = sale.left;
  last.sold = sale.load.sold;
  last.errors = sale.load.errors;
  last.services.clear();
  run_.moments.push_back(std::move(last));
  run_.sales.push_back(std::move(sale));
  phase_ = Phase::opening;
}

void Board::add(SceneResult played) {
  const std::scoped_lock lock(mutex_);
  run_.played.push_back(played);
}

std::string Board::state_json(std::size_t from) const {
  const std::scoped_lock lock(mutex_);
  return printed(
             "{\"phase\":\"%s\",\"strategies\":%zu,\"scenes\":%zu,\"moment\":%zu,"
             "\"moments\":",
             name_of(phase_), run_.sales.size(), run_.played.size(),
             run_.moments.size()) +
         moments_json(run_, from) + "}\n";
}

std::string Board::told(const std::function<std::string(const Run&)>& tell) const {
  const std::scoped_lock lock(mutex_);
  return tell(run_);
}

Run Board::run() const {
  const std::scoped_lock lock(mutex_);
  return run_;
}

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

#include "conformance/models/queue.h"

namespace holdfast::test {

using engine::Kind;
using engine::Mode;

void Queue::enter(std::size_t who) {
  inside_.push_back(*std::ranges::find(waiting_, who, &Request::who));
  std::erase_if(waiting_, [&](const Request& each) { return each.who == who; });
}

void Queue::leave(std::size_t who) {
  const auto is_it = [&](const Request& each) { return each.who == who; };
  std::erase_if(inside_, is_it);
  std::erase_if(waiting_, is_it);
}

void Queue::downgrade(std::size_t who) {
  std::ranges::find(inside_, who, &Request::who)->mode = Mode::shared;
}

std::vector<std::size_t> Queue::resize(std::uint32_t number) {
  number_ = number;
  std::vector<std::size_t> hopeless;
  for (const Request& each : waiting_) {
    if (each.permits > number) hopeless.push_back(each.who);
  }
  for (const std::size_t who : hopeless) leave(who);
  return hopeless;
}

bool Queue::is_writer(std::size_t who) const {
  return std::ranges::any_of(inside_, [&](const Request& each) {
    return each.who == who && each.mode == Mode::exclusive;
  });
}

std::vector<std::size_t> Queue::next() const {
  std::vector<std::size_t> result;
  for (const Request& each : waiting_) {
    if (fits(each)) result.push_back(each.who);
    if (ordered_) break;
  }
  return result;
}

bool Queue::fits(const Request& request) const {
  switch (kind_) {
    case Kind::shared_mutex:
      return std::ranges::all_of(inside_, [&](const Request& each) {
        return each.mode == Mode::shared && request.mode == Mode::shared;
      });
    case Kind::semaphore: {
      std::uint32_t taken = request.permits;
      for (const Request& each : inside_) taken += each.permits;
      return taken <= number_;
    }
    case Kind::double_barrier:
      return !inside_.empty() || waiting_.size() >= number_;
    default:
      return inside_.empty();
  }
}

}  // namespace holdfast::test

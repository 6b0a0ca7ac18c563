// SPDX-License-Identifier: Apache-2.0

// tests/conformance/models/queue.h - the holders and the waiters, in plain memory.
//
// This is the model of every claim that can wait: mutex, fair_mutex, election,
// shared_mutex, semaphore (`number` permits) and double_barrier (`number` parties).

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "holdfast/engine/claim.h"

namespace holdfast::test {

struct Request {
  std::size_t who;
  engine::Mode mode = engine::Mode::exclusive;
  std::uint32_t permits = 1;
};

class Queue {
 public:
  // If `ordered`, only the head of the queue may go in.
  Queue(engine::Kind kind, bool ordered, std::uint32_t number)
      : kind_(kind), ordered_(ordered), number_(number) {}

  void arrive(const Request& request) { waiting_.push_back(request); }
  void enter(std::size_t who);  // REQUIRES: it waits
  void leave(std::size_t who);  // from where it is
  void downgrade(std::size_t who);

  // Changes the number of permits. Returns the waiters that want more than there are
  // now: they are out.
  std::vector<std::size_t> resize(std::uint32_t number);

  // Returns the waiters of which one goes in now. If there are none, all waiters go on
  // waiting.
  std::vector<std::size_t> next() const;

  std::uint32_t number() const noexcept { return number_; }
  const std::vector<Request>& inside() const noexcept { return inside_; }
  const std::vector<Request>& waiting() const noexcept { return waiting_; }
  bool is_inside(std::size_t who) const { return has(inside_, who); }
  bool is_writer(std::size_t who) const;
  bool is_waiting(std::size_t who) const { return has(waiting_, who); }

 private:
  static bool has(const std::vector<Request>& these, std::size_t who) {
    return std::ranges::find(these, who, &Request::who) != these.end();
  }
  bool fits(const Request& request) const;

  const engine::Kind kind_;
  const bool ordered_;
  std::uint32_t number_;
  std::vector<Request> inside_;
  std::vector<Request> waiting_;
};

}  // namespace holdfast::test

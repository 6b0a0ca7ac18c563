// tests/conformance/models/queue.h - who is in and who waits, in plain memory.
//
// The model of every claim that is waited for: mutex, fair_mutex, election,
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
  // `ordered`: only the first one who waits may go in.
  Queue(engine::Kind kind, bool ordered, std::uint32_t number)
      : kind_(kind), ordered_(ordered), number_(number) {}

  void arrive(const Request& request) { waiting_.push_back(request); }
  void enter(std::size_t who);  // REQUIRES: it waits
  void leave(std::size_t who);  // from where it is
  void downgrade(std::size_t who);

  // Other permits; who waits for more than there are now is out.
  std::vector<std::size_t> resize(std::uint32_t number);

  // One of these, whoever it is, goes in now. Empty: all who wait have to wait on.
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

// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/transport/nodes.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string>

#include "base/ask_engine.h"

namespace holdfast::quorum {

// Finishes the calls that are ready, and returns whether there was one. What cannot go
// on without a thread is left to the one of its node.
bool SentCalls::take_ready() {
  const auto before = calls_.size();
  std::size_t handed_on = 0;
  std::erase_if(calls_, [&](Call& each) {
    const bool needs_look = std::exchange(each.stirs, false) || each.sent->fd() < 0;
    if (!needs_look) return false;
    if (each.sent->is_ready()) {
      each.node->set_answered(base::is_answered([&] { return each.sent->finish(); }));
      each.node->leave();
      return true;
    }
    if (each.sent->fd() >= 0) return false;
    each.node->leave(std::move(each.sent), Clock::now());
    ++handed_on;
    return true;
  });
  return calls_.size() + handed_on < before;
}

// Returns false if the deadline passed first.
bool SentCalls::await(engine::Deadline until) {
  if (calls_.empty()) return true;
  const auto left = base::time_left(until);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
  const timespec span{seconds.count(), (left - seconds).count()};
  std::vector<pollfd> fds;
  for (const Call& each : calls_) fds.push_back({each.sent->fd(), POLLIN, 0});
  const int stirring = ppoll(fds.data(), fds.size(), &span, nullptr);
  for (std::size_t i = 0; i < fds.size(); ++i) calls_[i].stirs = fds[i].revents != 0;
  return stirring != 0;
}

// The answers are not needed any more, but what was not sent yet is still asked.
void SentCalls::leave() {
  if (calls_.empty()) return;
  const auto now = Clock::now();
  for (Call& each : calls_) {
    const auto due = each.sent->is_queued() ? now : now + kLate;
    each.node->leave(std::move(each.sent), due);
  }
  calls_.clear();
}

void SentCalls::hand_on() {
  const auto now = Clock::now();
  for (Call& each : calls_) each.node->leave(std::move(each.sent), now);
  calls_.clear();
}

Nodes::Nodes(const std::vector<std::shared_ptr<engine::Engine>>& engines,
             const engine::SessionOptions& options) {
  for (const auto& each : engines) {
    nodes_.push_back(std::make_unique<Node>(each, options));
  }
}

// All nodes stop at the same time, not one after the other.
Nodes::~Nodes() {
  for (const auto& each : nodes_) each->stop();
}

// If so many nodes refuse that the others are no majority, the refusal is final. How
// many nodes answered is not said: some of them may not have been waited for.
Failure Nodes::explain(const Failures& failures) const {
  std::size_t refusals = 0;
  std::size_t first = size();
  std::size_t first_refusal = size();
  for (std::size_t i = 0; i < size(); ++i) {
    if (!failures[i]) continue;
    first = std::min(first, i);
    if (base::is_transient(*failures[i])) continue;
    ++refusals;
    first_refusal = std::min(first_refusal, i);
  }
  const auto said_by = [&](std::size_t node) {
    return "node " + std::to_string(node + 1) + ": " + failures[node]->message();
  };
  if (refusals > size() - majority()) {
    return {failures[first_refusal]->code, said_by(first_refusal)};
  }
  std::string text = "fewer than " + std::to_string(majority()) + " of the " +
                     std::to_string(size()) + " nodes of the quorum answered";
  text +=
      ": " + (first < size() ? said_by(first)
                             : std::string("check that they run and can be reached"));
  return {Errc::unavailable, std::move(text)};
}

}  // namespace holdfast::quorum

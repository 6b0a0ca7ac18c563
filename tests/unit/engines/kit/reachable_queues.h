// SPDX-License-Identifier: Apache-2.0

// tests/unit/engines/kit/reachable_queues.h - every short queue that can come about.
//
//   for_every_reachable_queue({.kind = Kind::mutex, .newcomers = {{}}},
//                             [](const ReachableQueue& queue) { ... });
//
// An engine need not read a whole queue to decide about a claim, because not every
// queue can come about: a claim is granted only if the admission rule lets it in. So a
// test of what an engine leaves out has to go through those that can.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "holdfast/engine/admission.h"

namespace holdfast::kit {

struct ReachableQueue {
  engine::Kind kind;
  std::uint32_t capacity;
  std::vector<engine::QueueEntry> entries;

  // Of each entry: it was granted when the capacity last changed.
  std::vector<bool> granted_before = {};

  bool admits(std::size_t index) const {
    return engine::admits(kind, capacity, entries, index);
  }

  void erase(std::size_t index) {
    const auto at = static_cast<std::ptrdiff_t>(index);
    entries.erase(entries.begin() + at);
    granted_before.erase(granted_before.begin() + at);
  }

  std::string describe() const {
    std::string text = "kind " + std::to_string(static_cast<int>(kind)) +
                       ", capacity " + std::to_string(capacity) + ":";
    for (const engine::QueueEntry& each : entries) {
      text += each.mode == engine::Mode::shared ? " S" : " X";
      text += std::to_string(each.permits) + (each.granted ? "*" : "");
    }
    return text;
  }
};

struct ReachableBy {
  engine::Kind kind;
  std::vector<engine::QueueEntry> newcomers;  // one of them may join at any time
  std::size_t longest = 4;
  std::uint32_t capacity = 0;
  std::uint32_t largest_capacity = 0;  // if the capacity can change
  bool downgrades = false;             // a writer that is in may become a reader
};

// Starts with an empty queue, and takes every step that can be taken until nothing new
// comes: a claim joins the end, is granted, changes or leaves, or the capacity changes.
template <class Use>
void for_every_reachable_queue(const ReachableBy& by, const Use& use) {
  std::set<std::string> seen;
  std::deque<ReachableQueue> left;
  const auto reach = [&](ReachableQueue queue) {
    std::string key = queue.describe();
    for (const bool before : queue.granted_before) key += before ? '1' : '0';
    if (seen.insert(std::move(key)).second) left.push_back(std::move(queue));
  };
  reach({by.kind, by.capacity, {}});
  for (; !left.empty(); left.pop_front()) {
    const ReachableQueue& now = left.front();
    use(now);
    if (now.entries.size() < by.longest) {
      for (const engine::QueueEntry& each : by.newcomers) {
        ReachableQueue then = now;
        then.entries.push_back(each);
        then.granted_before.push_back(false);
        reach(std::move(then));
      }
    }
    for (std::size_t i = 0; i < now.entries.size(); ++i) {
      ReachableQueue then = now;
      then.erase(i);
      reach(std::move(then));
      const engine::QueueEntry& entry = now.entries[i];
      then = now;
      if (!entry.granted) {
        then.entries[i].granted = true;
        if (now.admits(i)) reach(std::move(then));
      } else if (entry.permits > 1) {
        --then.entries[i].permits;
        reach(std::move(then));
      } else if (by.downgrades && entry.mode == engine::Mode::exclusive) {
        then.entries[i].mode = engine::Mode::shared;
        reach(std::move(then));
      }
    }
    // A claim that can be granted counts as one that is when the capacity changes.
    for (std::uint32_t other = 1; other <= by.largest_capacity; ++other) {
      ReachableQueue then = now;
      for (std::size_t i = 0; i < then.entries.size(); ++i) {
        then.entries[i].granted = then.entries[i].granted || now.admits(i);
        then.granted_before[i] = then.entries[i].granted;
      }
      then.capacity = other;
      reach(std::move(then));
    }
  }
}

}  // namespace holdfast::kit

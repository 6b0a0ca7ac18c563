// SPDX-License-Identifier: Apache-2.0

#include "engines/kit/queue_rules.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/pause.h"

namespace holdfast::kit {

using engine::Kind;
using engine::Mode;
using engine::QueueEntry;
using namespace std::chrono_literals;

namespace {

// How many entries have to end until `excess` permits are free, if the largest end
// first.
std::size_t fewest_ends(std::vector<std::uint64_t> permits, std::uint64_t excess) {
  std::sort(permits.begin(), permits.end(), std::greater<>());
  std::size_t ends = 0;
  for (std::uint64_t freed = 0; freed < excess && ends < permits.size(); ++ends) {
    freed += permits[ends];
  }
  return ends;
}

}  // namespace

Obstacle find_obstacle(Kind kind, std::uint32_t capacity,
                       std::span<const QueueEntry> queue, std::size_t index) {
  if (kind == Kind::double_barrier) return {};
  const bool reads = kind == Kind::shared_mutex && queue[index].mode == Mode::shared;
  Obstacle obstacle;
  std::vector<std::uint64_t> counted;
  std::uint64_t taken = queue[index].permits;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (i == index || (i > index && !queue[i].granted)) continue;
    if (reads && queue[i].mode == Mode::shared) continue;
    obstacle.entry = i;
    counted.push_back(queue[i].permits);
    taken += queue[i].permits;
  }
  obstacle.ends = counted.size();
  if (kind == Kind::semaphore) {
    obstacle.entry.reset();
    obstacle.ends = fewest_ends(std::move(counted), taken - capacity);
  }
  return obstacle;
}

void mark_granted(Kind kind, std::uint32_t capacity, std::span<engine::Entry> entries) {
  if (kind == Kind::double_barrier) return;
  std::vector<QueueEntry> queue;
  queue.reserve(entries.size());
  for (const engine::Entry& each : entries) {
    queue.push_back({each.mode, each.permits, each.granted});
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    entries[i].granted = queue[i].granted || engine::admits(kind, capacity, queue, i);
  }
}

std::chrono::nanoseconds pause_behind(std::size_t ahead) {
  const auto most = 5s + std::min<std::size_t>(ahead, 1000) * 50ms;
  return most * 4 / 5 + base::random_part(most / 5);
}

}  // namespace holdfast::kit

// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/queue_rows.h"

#include "engines/kit/queue_rules.h"

namespace holdfast::mysql {

using engine::Mode;
using namespace std::chrono_literals;

QueueRows QueueRows::of(const std::vector<Row>& rows, std::string_view owner) {
  const Row& first = rows.front();
  QueueRows queue;
  queue.fence = first[0].count();
  queue.clock = first[13].count();
  queue.version = first[1].count();
  if (!first[2].null) queue.value = first[2].number;
  queue.own = rows.size();
  for (const Row& row : rows) {
    if (row[4].null) continue;
    const std::chrono::microseconds left = row[10].span();
    if (left <= 0us) {
      queue.has_expired = true;
      continue;
    }
    if (row[5].text == owner) queue.own = queue.claims.size();
    queue.claims.push_back(
        {.id = row[4].count(),
         .owner = row[5].text,
         .entry = {.mode = row[6].number == 2 ? Mode::shared : Mode::exclusive,
                   .permits = static_cast<std::uint32_t>(row[7].number),
                   .granted = row[8].number != 0},
         .has_bell = row[9].number != 0,
         .token = row[11].count(),
         .left = left});
  }
  return queue;
}

std::vector<engine::QueueEntry> QueueRows::entries() const {
  std::vector<engine::QueueEntry> all;
  all.reserve(claims.size());
  for (const QueuedClaim& each : claims) all.push_back(each.entry);
  return all;
}

bool QueueRows::admits(engine::Kind kind, std::uint32_t capacity) const {
  return engine::admits(kind, capacity, entries(), own);
}

const QueuedClaim* QueueRows::obstacle(engine::Kind kind,
                                       std::uint32_t capacity) const {
  const auto found = kit::find_obstacle(kind, capacity, entries(), own);
  return found.entry ? &claims[*found.entry] : nullptr;
}

}  // namespace holdfast::mysql

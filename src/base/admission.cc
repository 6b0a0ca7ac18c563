// SPDX-License-Identifier: Apache-2.0

#include "holdfast/engine/admission.h"

namespace holdfast::inline v0::engine {
namespace {

using Queue = std::span<const QueueEntry>;

bool alone(Queue queue, std::size_t index) noexcept {
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (i != index && (queue[i].granted || i < index)) return false;
  }
  return true;
}

bool no_writer_before(Queue queue, std::size_t index) noexcept {
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const bool counts = i != index && (queue[i].granted || i < index);
    if (counts && queue[i].mode == Mode::exclusive) return false;
  }
  return true;
}

bool fits(std::uint32_t capacity, Queue queue, std::size_t index) noexcept {
  std::uint64_t taken = queue[index].permits;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (i != index && (queue[i].granted || i < index)) taken += queue[i].permits;
  }
  return taken <= capacity;
}

bool complete(std::uint32_t capacity, Queue queue) noexcept {
  if (queue.size() >= capacity) return true;
  for (const QueueEntry& entry : queue) {
    if (entry.granted) return true;
  }
  return false;
}

}  // namespace

bool admits(Kind kind, std::uint32_t capacity, Queue queue,
            std::size_t index) noexcept {
  if (index >= queue.size()) return false;
  switch (kind) {
    case Kind::mutex:
    case Kind::fair_mutex:
    case Kind::election:
      return alone(queue, index);
    case Kind::shared_mutex:
      return queue[index].mode == Mode::shared ? no_writer_before(queue, index)
                                               : alone(queue, index);
    case Kind::semaphore:
      return fits(capacity, queue, index);
    case Kind::double_barrier:
      return complete(capacity, queue);
    case Kind::latch:
    case Kind::barrier:
    case Kind::counter:
    case Kind::shared_count:
      return false;
  }
  return false;
}

}  // namespace holdfast::inline v0::engine

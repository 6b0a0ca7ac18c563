// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/ordered_queue.h"

#include <algorithm>
#include <utility>

#include "engines/kit/queue_rules.h"
#include "engines/zookeeper/listing.h"

namespace holdfast::zookeeper {

using engine::Claim;
using engine::Deadline;
using engine::Entry;
using engine::Mode;

// The reader's node has the writer's sequence number, and so keeps its place in the
// queue.
std::string OrderedQueue::reader_of(const ClaimState& writer) const {
  return path() + "/" + protection(writer.id) + std::string(base_of(NodeRole::read)) +
         std::string(order_of(writer.node));
}

Result<void> OrderedQueue::send_change(ClaimState& state, const Claim& wanted,
                                       Batch& batch) {
  const bool becomes_reader = kind() == engine::Kind::shared_mutex &&
                              state.mode == Mode::exclusive &&
                              wanted.mode == Mode::shared;
  if (becomes_reader) {
    state.next_node = reader_of(state);
    batch.multi({
        {Op::Type::create, state.next_node, std::string(payload_of(wanted)),
         Node::ephemeral},
        {Op::Type::remove, state.node},
    });
  } else if (!wanted.payload.empty()) {
    batch.set(state.node, wanted.payload, kAnyVersion);
  }
  return {};
}

Result<void> OrderedQueue::read_change(ClaimState& state, const Claim& wanted,
                                       const Batch& batch) {
  const int code = batch.first_code();
  if (code == ZNONODE) return Errc::not_held;
  const bool became = !state.next_node.empty() && code == ZNODEEXISTS;
  if (code != ZOK && !became) return failure_of(code, "change " + state.node);
  if (state.next_node.empty()) return {};
  state.node = std::exchange(state.next_node, {});
  state.mode = wanted.mode;
  state.own_watch.reset();
  return {};
}

Result<std::vector<Entry>> OrderedQueue::survey(std::size_t limit, Deadline until) {
  auto listed = list(until);
  if (!listed) return std::move(listed).error();
  std::vector<std::string>& children = *listed;
  std::erase_if(children, [this](const std::string& child) {
    return !belongs(role_of(child), kind());
  });
  put_in_order(children);
  const WatchRegistry::Key first =
      is_watched() ? WatchRegistry::key(path(), WatchFor::data) : 0;
  auto entries = read_entries(backend(), path(), children, limit, first, until);
  if (!entries) return entries;
  kit::mark_granted(kind(), 0, *entries);
  return entries;
}

}  // namespace holdfast::zookeeper

// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/ordered_queue.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "engines/kit/queue_rules.h"
#include "engines/zookeeper/queue.h"
#include "engines/zookeeper/survey.h"

namespace holdfast::zookeeper {

using engine::Claim;
using engine::Deadline;
using engine::Entry;
using engine::Granted;
using engine::Mode;

OrderedQueue::OrderedQueue(std::shared_ptr<Backend> backend, std::string path,
                           engine::Kind kind)
    : ZookeeperResource(std::move(backend), std::move(path)),
      kind_(kind),
      queue_(this->backend(), this->path(), kind) {}

Result<engine::Verdict> OrderedQueue::attempt(const Claim& claim,
                                              const engine::Waker& waker,
                                              Deadline until) {
  const auto asked = Clock::now();
  const auto state = state_of(claim);
  const auto admission =
      queue_.poll(*state, claim.mode, payload_of(claim), waker, until);
  if (!admission) return admission.error();
  if (admission->admitted) return grant(claim, *state, asked);
  if (waker == nullptr) claims().erase(claim.ticket);
  return engine::Verdict(engine::Blocked{kit::pause_behind(admission->ahead)});
}

// The reader's node has the writer's sequence number, and so keeps its place in the
// queue.
std::string OrderedQueue::reader_of(const ClaimState& writer) const {
  return path() + "/" + protection(writer.id) + std::string(base_of(NodeRole::read)) +
         std::string(order_of(writer.node));
}

Result<Granted> OrderedQueue::amend(const Claim& held, const Claim& wanted,
                                    Deadline until) {
  const bool shared = kind_ == engine::Kind::shared_mutex;
  const auto send = [&](ClaimState& state, Batch& batch) -> Result<void> {
    const bool reads = role_of(state.node) == NodeRole::read;
    if (shared && reads && wanted.mode == Mode::exclusive) {
      return base::reader_cannot_write(path());
    }
    if (shared && !reads && wanted.mode == Mode::shared) {
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
  };
  const auto finish = [](ClaimState& state, const Batch& batch) -> Result<void> {
    const int code = batch.first_code();
    if (code == ZNONODE) return Errc::not_held;
    const bool became = !state.next_node.empty() && code == ZNODEEXISTS;
    if (code != ZOK && !became) return failure_of(code, "change " + state.node);
    if (state.next_node.empty()) return {};
    state.node = std::exchange(state.next_node, {});
    state.own_watch.reset();
    return {};
  };
  return change(held, wanted, until, send, finish);
}

Result<std::vector<Entry>> OrderedQueue::survey(std::size_t limit, Deadline until) {
  auto listed = list(until);
  if (!listed) return std::move(listed).error();
  std::vector<std::string>& children = *listed;
  std::erase_if(children, [this](const std::string& child) {
    return !belongs(role_of(child), kind_);
  });
  put_in_order(children);
  const WatchRegistry::Key first =
      is_watched() ? WatchRegistry::key(path(), WatchFor::data) : 0;
  auto entries = read_entries(backend(), path(), children, limit, first, until);
  if (!entries) return entries;
  kit::mark_granted(kind_, 0, *entries);
  return entries;
}

}  // namespace holdfast::zookeeper

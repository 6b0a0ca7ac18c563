// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/queue.h"

#include <algorithm>
#include <utility>

#include "engines/zookeeper/stored_register.h"

namespace holdfast::zookeeper {

using engine::Claim;
using engine::Deadline;
using engine::Mode;
using engine::Waker;

// Claims after the own one make no difference. For a reader, only writers count, as
// they do for Curator.
std::optional<ClaimResource::Snapshot> queue_of(engine::Kind kind, std::string_view own,
                                                std::vector<std::string> children) {
  put_in_order(children);
  const auto mine = std::find(children.begin(), children.end(), own);
  if (mine == children.end()) return std::nullopt;
  const auto mode_of = [](const std::string& child) {
    return role_of(child) == NodeRole::write ? Mode::exclusive : Mode::shared;
  };
  const bool reads =
      kind == engine::Kind::shared_mutex && mode_of(*mine) == Mode::shared;
  ClaimResource::Snapshot queue;
  for (auto each = children.begin(); each <= mine; ++each) {
    const Mode mode = mode_of(*each);
    if (reads && mode == Mode::shared && each != mine) continue;
    queue.entries.push_back({.mode = mode});
    queue.nodes.push_back(std::move(*each));
  }
  queue.own = queue.entries.size() - 1;
  queue.retry_after = kit::pause_behind(queue.own);
  return queue;
}

// When a writer becomes a reader, a reader's node with the same sequence number
// replaces its node. So the deletion of a writer ahead does not admit another writer.
bool is_last(const ClaimResource::Snapshot& queue, const kit::Obstacle& obstacle) {
  const bool may_downgrade = queue.entries[queue.own].mode == Mode::exclusive &&
                             queue.entries[*obstacle.entry].mode == Mode::exclusive;
  return obstacle.ends == 1 && !may_downgrade;
}

Queue::Queue(std::shared_ptr<Backend> backend, std::string path, engine::Kind kind,
             std::string directory, engine::Kind order)
    : ClaimResource(std::move(backend), std::move(path), kind),
      directory_(std::move(directory)),
      order_(order) {}

std::string Queue::node_of(std::string_view child) const {
  return std::string(directory_).append("/").append(child);
}

std::size_t Queue::add_requests(Batch&, Watched) const { return 0; }

Result<void> Queue::read_answers(const Batch&, std::size_t, Watched, Snapshot&) const {
  return {};
}

// The events since the last read are enough to know that the claim is the first. They
// come in another thread, so two answers in a row may differ.
bool Queue::is_known_to_be_first(const ClaimState& state) noexcept {
  if (state.own_watch != nullptr && !state.own_watch->quiet()) return false;
  if (state.is_first) return true;
  return state.obstacle_is_last && state.obstacle_watch != nullptr &&
         state.obstacle_watch->gone();
}

Result<std::optional<Queue::Snapshot>> Queue::look_as_first(ClaimState&,
                                                            const Claim& claim,
                                                            Deadline) {
  Snapshot alone;
  alone.entries = {{.mode = claim.mode}};
  return std::optional(std::move(alone));
}

Result<std::optional<Queue::Snapshot>> Queue::look(ClaimState& state,
                                                   const Claim& claim, Deadline until) {
  using Looked = std::optional<Snapshot>;
  if (is_known_to_be_first(state)) return look_as_first(state, claim, until);
  const NodeRole role = role_for(order_, claim.mode);
  auto handle = backend().sessions().handle(until);
  if (!handle) return std::move(handle).error();
  if ((*handle)->id() != state.session_id) return Looked();
  Batch batch(*std::move(handle));
  if (state.id.empty()) state.id = backend().id_of(claim.ticket);
  const bool make = state.node.empty() && !state.may_exist;
  std::size_t made = 0;
  if (make) {
    state.may_exist = true;
    made = batch.create(node_of(protection(state.id)).append(base_of(role)),
                        payload_of(claim), Node::ephemeral_sequential);
  }
  if (!make && state.may_exist) batch.sync(directory_);
  const auto listed = batch.children(directory_);
  const auto more = add_requests(batch, Watched::nothing);
  if (auto done = batch.wait(until); !done) return std::move(done).error();

  if (make) {
    // The flag stays set if there is no memory for the name.
    const Answer& node = batch[made];
    if (node.ok()) {
      state.token = static_cast<std::uint64_t>(node.stat.czxid);
      state.node = node.text;
    }
    state.may_exist = false;
    if (node.code == ZNONODE) {
      auto parents = backend().make_parents(node_of("child"), until);
      if (!parents) return std::move(parents).error();
      return Looked();
    }
    if (node.code == ZNOCHILDRENFOREPHEMERALS) {
      return Failure(Errc::wrong_kind, directory_ +
                                           " is the node of a claim, so nothing "
                                           "can be locked there: use another name");
    }
    if (!node.ok()) return failure_of(node.code, "create a node in " + directory_);
  }
  const Answer& list = batch[listed];
  if (list.code == ZNONODE) {
    state.start_again();
    return Looked();
  }
  if (!list.ok()) return failure_of(list.code, "list " + directory_);
  if (state.may_exist) {
    auto recovered = recover(state, role, list.names, until);
    if (!recovered) return std::move(recovered).error();
    return Looked();
  }
  if (auto good = check_children(state, list, until); !good)
    return std::move(good).error();
  const std::string_view own =
      std::string_view(state.node).substr(directory_.size() + 1);
  auto queue = queue_of(order_, own, list.names);
  if (!queue) {  // another client has deleted the node
    state.start_again();
    return Looked();
  }
  state.is_first = queue->own == 0;
  auto read = read_answers(batch, more, Watched::nothing, *queue);
  if (!read) return std::move(read).error();
  return queue;
}

// A node with the claim's id may belong to an earlier session of this client: then it
// does not count.
Result<void> Queue::recover(ClaimState& state, NodeRole role,
                            const std::vector<std::string>& children, Deadline until) {
  const std::string mine = protection(state.id);
  for (const std::string& child : children) {
    if (!child.starts_with(mine) || role_of(child) != role) continue;
    Batch batch(backend().sessions().handle(until));
    const auto seen = batch.exists(node_of(child));
    if (auto done = batch.wait(until); !done) return done;
    const auto there = is_there(batch[seen].code, "look at", node_of(child));
    if (!there.has_value()) return there.error();
    if (!*there || batch[seen].stat.ephemeralOwner != state.session_id) continue;
    state.node = node_of(child);
    state.token = static_cast<std::uint64_t>(batch[seen].stat.czxid);
    break;
  }
  state.may_exist = false;
  return {};
}

Result<void> Queue::check_children(const ClaimState& state, const Answer& listed,
                                   Deadline until) const {
  bool good = true;
  for (const std::string& child : listed.names) {
    const NodeRole role = role_of(child);
    if (role == NodeRole::kazoo) return used_by_kazoo(directory_);
    good = good && belongs(role, order_);
  }
  if (good && listed.stat.dataLength != 0) {
    Batch batch(backend().sessions().handle(until));
    const auto got = batch.get(directory_);
    if (auto done = batch.wait(until); !done) return done;
    const auto there = is_there(batch[got].code, "read", directory_);
    if (!there.has_value()) return there.error();
    good = !looks_like_a_number(batch[got].text);
  }
  if (!good) return used_by_another_kind(directory_);
  if (is_wrapped(state.node)) {
    return Failure(Errc::full, "the sequence numbers of " + directory_ +
                                   " are used up: delete it while it is not in use");
  }
  return {};
}

// Returns false if the claim need not wait, or if the queue must be read again: its own
// node was deleted, the obstacle was and others may be ahead, or the session has
// changed.
Result<bool> Queue::arm(ClaimState& state, const Snapshot& queue,
                        const kit::Obstacle& obstacle, const Waker& waker,
                        Deadline until) {
  auto handle = backend().sessions().handle(until);
  if (!handle) return std::move(handle).error();
  if ((*handle)->id() != state.session_id) return false;
  Batch batch(*std::move(handle));
  WatchRegistry& watches = backend().watches();
  std::size_t watched = 0;
  const WatchTarget mine{state.node};
  state.own_watch = WatchSet::make(watches, {mine}, waker, backend().alarm());
  state.obstacle_watch.reset();
  if (obstacle.entry) {
    const WatchTarget ahead{node_of(queue.nodes[*obstacle.entry - queue.taken])};
    state.obstacle_watch = WatchSet::make(watches, {ahead}, waker);
    state.obstacle_is_last = is_last(queue, obstacle);
    watched = batch.get(ahead.path, WatchRegistry::key(ahead));
  }
  const auto own = batch.exists(state.node, WatchRegistry::key(mine));
  const Watched beside = obstacle.entry ? Watched::permits : Watched::both;
  const auto more = add_requests(batch, beside);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  if (batch[own].code == ZNONODE) {
    state.start_again();
    return false;
  }
  for (const auto each : {watched, own}) {
    const int code = batch[each].code;
    if (code != ZOK && code != ZNONODE) {
      return failure_of(code, "watch the queue in " + directory_);
    }
  }
  if (obstacle.entry && !batch[watched].ok()) {
    // An obstacle that was deleted before it was watched admits the claim as its event
    // would have done.
    state.is_first = state.obstacle_is_last;
    return false;
  }
  Snapshot now;
  now.taken = queue.taken;
  if (auto read = read_answers(batch, more, beside, now); !read) {
    return std::move(read).error();
  }
  return now.capacity == queue.capacity && now.taken == queue.taken;
}

}  // namespace holdfast::zookeeper

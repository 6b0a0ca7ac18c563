// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/queue.h"

#include <algorithm>
#include <utility>

#include "engines/kit/queue_rules.h"
#include "engines/zookeeper/stored_register.h"

namespace holdfast::zookeeper {

using engine::Deadline;
using engine::Mode;
using engine::Waker;

QueueDirectory::QueueDirectory(Backend& backend, std::string directory,
                               engine::Kind kind)
    : backend_(backend), directory_(std::move(directory)), kind_(kind) {}

std::string QueueDirectory::path(std::string_view child) const {
  return std::string(directory_).append("/").append(child);
}

// The events since the last read are enough to know that the claim is the first.
bool QueueDirectory::is_known_to_be_first(const ClaimState& state) const noexcept {
  if (state.own_watch != nullptr && !state.own_watch->quiet()) return false;
  if (state.is_first) return true;
  return state.obstacle_is_last && state.obstacle_watch != nullptr &&
         state.obstacle_watch->gone();
}

Result<QueueDirectory::Admission> QueueDirectory::poll(ClaimState& state, Mode mode,
                                                       std::string_view content,
                                                       const Waker& waker,
                                                       Deadline until,
                                                       BatchExtension* extension) {
  for (;;) {
    auto handle = backend_.sessions().handle(until);
    if (!handle) return std::move(handle).error();
    if (state.session != (*handle)->id()) state.start_again((*handle)->id());
    if (is_known_to_be_first(state)) {
      state.is_first = true;
      if (extension != nullptr) extension->not_sent();
      return Admission{true};
    }
    std::vector<std::string> children;
    const auto is_read =
        read_directory(state, mode, content, children, until, extension);
    if (!is_read.has_value()) return is_read.error();
    if (!*is_read) continue;
    const std::string_view own =
        std::string_view(state.node).substr(directory_.size() + 1);
    const auto obstacle = find_obstacle(kind_, own, children);
    if (!obstacle) {  // another client has deleted the node
      state.start_again(state.session);
      continue;
    }
    if (obstacle->child.empty()) {
      state.is_first = true;
      state.obstacle_watch.reset();
      return Admission{true};
    }
    if (waker == nullptr) {
      if (auto left = remove_node(backend_, state, until); !left)
        return std::move(left).error();
      return Admission{false, obstacle->ahead};
    }
    const auto is_watching = watch_obstacle(state, *obstacle, waker, until);
    if (!is_watching.has_value()) return is_watching.error();
    if (*is_watching) return Admission{false, obstacle->ahead};
  }
}

// Returns false if something was missing and has been created, or if the session has
// changed: then the queue must be read again.
Result<bool> QueueDirectory::read_directory(ClaimState& state, Mode mode,
                                            std::string_view content,
                                            std::vector<std::string>& children,
                                            Deadline until, BatchExtension* extension) {
  const NodeRole role = role_for(kind_, mode);
  auto handle = backend_.sessions().handle(until);
  if (!handle) return std::move(handle).error();
  if ((*handle)->id() != state.session) return false;
  Batch batch(*std::move(handle));
  const bool make = state.node.empty() && !state.may_exist;
  std::size_t made = 0;
  if (make) {
    state.may_exist = true;
    made = batch.create(path(protection(state.id)).append(base_of(role)), content,
                        Node::ephemeral_sequential);
  }
  if (!make && state.may_exist) batch.sync(directory_);
  const auto listed = batch.children(directory_);
  if (extension != nullptr) extension->add_requests(batch);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  if (extension != nullptr) extension->read_answers(batch);

  if (make) {
    state.may_exist = false;
    const Answer& node = batch[made];
    if (node.code == ZNONODE) {
      auto parents = backend_.make_parents(path("child"), until);
      if (!parents) return std::move(parents).error();
      return false;
    }
    if (node.code == ZNOCHILDRENFOREPHEMERALS) {
      return Failure(Errc::wrong_kind, directory_ +
                                           " is the node of a claim, so nothing "
                                           "can be locked there: use another name");
    }
    if (!node.ok()) return failure_of(node.code, "create a node in " + directory_);
    state.node = node.text;
    state.token = static_cast<std::uint64_t>(node.stat.czxid);
  }
  const Answer& list = batch[listed];
  if (list.code == ZNONODE) {
    state.start_again(state.session);
    return false;
  }
  if (!list.ok()) return failure_of(list.code, "list " + directory_);
  if (state.may_exist) return recover(state, role, list.names, until);
  if (auto good = check_children(state, list, until); !good) {
    if (auto left = remove_node(backend_, state, until); !left)
      return std::move(left).error();
    return std::move(good).error();
  }
  children = list.names;
  return true;
}

// A node with the claim's id may belong to an earlier session of this client: then it
// does not count.
Result<bool> QueueDirectory::recover(ClaimState& state, NodeRole role,
                                     const std::vector<std::string>& children,
                                     Deadline until) {
  const std::string mine = protection(state.id);
  for (const std::string& child : children) {
    if (!child.starts_with(mine) || role_of(child) != role) continue;
    Batch batch(backend_.sessions().handle(until));
    const auto seen = batch.exists(path(child));
    if (auto done = batch.wait(until); !done) return std::move(done).error();
    if (!batch[seen].ok() || batch[seen].stat.ephemeralOwner != state.session) continue;
    state.node = path(child);
    state.token = static_cast<std::uint64_t>(batch[seen].stat.czxid);
    break;
  }
  state.may_exist = false;
  return false;
}

Result<void> QueueDirectory::check_children(const ClaimState& state,
                                            const Answer& listed,
                                            Deadline until) const {
  bool good = true;
  for (const std::string& child : listed.names) {
    const NodeRole role = role_of(child);
    if (role == NodeRole::kazoo) return used_by_kazoo(directory_);
    good = good && belongs(role, kind_);
  }
  if (good && listed.stat.dataLength != 0) {
    Batch batch(backend_.sessions().handle(until));
    const auto got = batch.get(directory_);
    if (auto done = batch.wait(until); !done) return done;
    good = !looks_like_a_number(batch[got].text);
  }
  if (!good) return used_by_another_kind(directory_);
  if (is_wrapped(state.node)) {
    return Failure(Errc::full, "the sequence numbers of " + directory_ +
                                   " are used up: delete it while it is not in use");
  }
  return {};
}

// Claims after the own one make no difference. For a reader, only writers count, as
// they do for Curator.
//
// When a writer becomes a reader, a reader's node with the same sequence number
// replaces its node. So the deletion of a writer ahead does not grant another writer.
std::optional<ObstacleNode> find_obstacle(engine::Kind kind, std::string_view own,
                                          std::vector<std::string>& children) {
  put_in_order(children);
  const auto mine = std::find(children.begin(), children.end(), own);
  if (mine == children.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(mine - children.begin());
  std::vector<engine::QueueEntry> queue;
  queue.reserve(index + 1);
  for (auto each = children.begin(); each <= mine; ++each) {
    const bool writes = role_of(*each) == NodeRole::write;
    queue.push_back({.mode = writes ? Mode::exclusive : Mode::shared});
  }
  if (engine::admits(kind, 0, queue, index)) return ObstacleNode{};
  const kit::Obstacle found = kit::find_obstacle(kind, 0, queue, index);
  const std::size_t ahead = found.entry.value();
  const bool may_downgrade =
      queue[index].mode == Mode::exclusive && queue[ahead].mode == Mode::exclusive;
  return ObstacleNode{.child = children[ahead],
                      .last = found.ends == 1 && !may_downgrade,
                      .ahead = found.ends};
}

// Returns false if the claim need not wait, or if the queue must be read again: its own
// node was deleted, the obstacle was and others may be ahead, or the session has
// changed.
Result<bool> QueueDirectory::watch_obstacle(ClaimState& state,
                                            const ObstacleNode& obstacle,
                                            const Waker& waker, Deadline until) {
  auto handle = backend_.sessions().handle(until);
  if (!handle) return std::move(handle).error();
  if ((*handle)->id() != state.session) return false;
  const std::string ahead = path(obstacle.child);
  state.obstacle_watch = WatchSet::make(backend_.watches(), {{ahead}}, waker);
  state.own_watch =
      WatchSet::make(backend_.watches(), {{state.node}}, waker, backend_.alarm());
  state.obstacle_is_last = obstacle.last;
  Batch batch(*std::move(handle));
  const auto watched = batch.get(ahead, WatchRegistry::key(ahead, WatchFor::data));
  const auto own =
      batch.exists(state.node, WatchRegistry::key(state.node, WatchFor::data));
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  if (batch[own].code == ZNONODE) {
    state.start_again(state.session);
    return false;
  }
  for (const auto each : {watched, own}) {
    const int code = batch[each].code;
    if (code != ZOK && code != ZNONODE) return failure_of(code, "watch " + ahead);
  }
  // An obstacle that was deleted before it was watched grants the claim as its event
  // would have done.
  state.is_first = obstacle.last && !batch[watched].ok();
  return batch[watched].ok();
}

Result<void> remove_node(Backend& backend, ClaimState& state, Deadline until) {
  Batch batch(backend.sessions().handle(until));
  batch.remove(state.node);
  if (auto done = batch.wait(until); !done) return done;
  state.start_again(state.session);
  return {};
}

}  // namespace holdfast::zookeeper

// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/resource.h"

#include <algorithm>
#include <utility>

#include "base/pause.h"
#include "engines/zookeeper/children.h"

namespace holdfast::zookeeper {
namespace {

using engine::Claim;
using engine::Deadline;
using engine::Granted;
using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kLookAgain = 2s;

}  // namespace

ZookeeperResource::ZookeeperResource(std::shared_ptr<Backend> backend, std::string path)
    : backend_(std::move(backend)),
      path_(std::move(path)),
      watches_(std::make_shared<std::atomic<int>>(0)) {}

std::string_view ZookeeperResource::payload_of(const Claim& claim) const noexcept {
  return claim.payload.empty() ? std::string_view(backend_->payload()) : claim.payload;
}

std::shared_ptr<ClaimState> ZookeeperResource::state_of(const Claim& claim) {
  const auto current = backend_->sessions().current();
  const std::int64_t session = current != nullptr ? current->id() : 0;
  if (session != 0 && session_.exchange(session) != session) {
    claims_.forget_other_sessions(session);
  }
  ClaimState fresh;
  fresh.id = backend_->id_of(claim.ticket);
  return claims_.find_or_add(claim.ticket, std::move(fresh));
}

Granted ZookeeperResource::granted(const Claim& claim, const ClaimState& state,
                                   Clock::time_point asked) {
  const auto handle = backend_->sessions().current();
  const bool share = backend_->options().hand_over;
  return {.token = {state.token},
          .tokens = share ? std::max(claim.tokens, 1U) : 1U,
          .lease = handle != nullptr && handle->id() == state.session
                       ? Backend::lease_from(*handle, asked, claim.lease)
                       : engine::LeaseTime::zero(),
          .one_token = share};
}

engine::Verdict ZookeeperResource::grant(const Claim& claim, ClaimState& state,
                                         Clock::time_point asked) {
  state.granted = true;
  claims_.publish(claim.ticket, state.held_claim());
  return granted(claim, state, asked);
}

bool ZookeeperResource::is_held(const Claim& claim, Deadline until) {
  const auto handle = backend_->sessions().handle(until);
  base::MutexLock lock(granted_mutex_);
  const auto state = claims_.find(claim.ticket);
  return handle && state != nullptr && state->granted &&
         (*handle)->id() == state->session;
}

// The renewer may drop a claim whose lease has ended while a change of it is under way.
// The server applies the requests of a session in order: a drop that is sent after the
// change deletes what the change has created, and after a drop no change is sent.
Result<Granted> ZookeeperResource::change(const Claim& held, const Claim& wanted,
                                          Deadline until, const Send& send,
                                          const Finish& finish) {
  const auto asked = Clock::now();
  auto handle = backend_->sessions().handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*handle);
  base::MutexLock lock(granted_mutex_);
  const auto state = claims_.find(held.ticket);
  if (state == nullptr || !state->granted) return Errc::not_held;
  if ((*handle)->id() != state->session) return Errc::not_held;
  if (auto sent = send(*state, batch); !sent) return std::move(sent).error();
  ++state->amending;
  lock.unlock();
  auto done = batch.wait(until);
  lock.lock();
  --state->amending;
  if (claims_.find(held.ticket) != state) return Errc::not_held;
  if (done) done = finish(*state, batch);
  if (!done) return std::move(done).error();
  claims_.publish(held.ticket, state->held_claim());
  return granted(wanted, *state, asked);
}

void ZookeeperResource::lose(engine::Ticket ticket, const HeldClaim& held) {
  base::MutexLock lock(granted_mutex_);
  const auto state = claims_.find(ticket);
  if (state == nullptr || state->amending > 0) return;
  if (state->session != held.session_id || state->nodes() != held.nodes) return;
  claims_.erase(ticket);
  for (std::string& node : state->possible_nodes()) {
    backend_->sessions().delete_later(std::move(node));
  }
}

Result<void> ZookeeperResource::drop(const Claim& claim, Deadline until) {
  base::MutexLock lock(granted_mutex_);
  const auto state = claims_.find(claim.ticket);
  if (state == nullptr) return Errc::not_held;
  const auto current = backend_->sessions().current();
  if (current != nullptr && current->id() != 0 && current->id() != state->session) {
    claims_.erase(claim.ticket);  // the claim has ended with its session
    return Errc::not_held;
  }
  std::vector<std::string> nodes = state->possible_nodes();
  const bool may_exist = state->may_exist || state->leases_may_exist;
  if (!may_exist && until <= Clock::now()) {
    claims_.erase(claim.ticket);
    for (std::string& node : nodes) backend_->sessions().delete_later(std::move(node));
    return {};
  }
  const std::string id = state->id;
  lock.unlock();
  if (may_exist) {
    auto found = find_nodes(id, until);
    if (!found) return std::move(found).error();
    nodes.insert(nodes.end(), found->begin(), found->end());
  }
  auto removed = remove_nodes(nodes, until);
  if (removed || removed.error().code == Errc::not_held) claims_.erase(claim.ticket);
  return removed;
}

// The nodes whose name is this id, or begins with its protection.
Result<std::vector<std::string>> ZookeeperResource::find_nodes(std::string_view id,
                                                               Deadline until) {
  Batch batch(backend_->sessions().handle(until));
  batch.sync(path_);
  const auto parents = directories();
  std::vector<std::size_t> listed;
  listed.reserve(parents.size());
  for (const std::string& each : parents) listed.push_back(batch.children(each));
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  const std::string prefix = protection(id);
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    for (const std::string& child : batch[listed[i]].names) {
      if (child == id || child.starts_with(prefix)) {
        nodes.push_back(parents[i] + "/" + child);
      }
    }
  }
  return nodes;
}

// Errc::not_held: none of the nodes existed.
Result<void> ZookeeperResource::remove_nodes(const std::vector<std::string>& nodes,
                                             Deadline until) {
  if (nodes.empty()) return Errc::not_held;
  Batch batch(backend_->sessions().handle(until));
  for (const std::string& node : nodes) batch.remove(node);
  if (auto done = batch.wait(until); !done) return done;
  bool any = false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const int code = batch[i].code;
    if (code != ZOK && code != ZNONODE) return failure_of(code, "delete " + nodes[i]);
    any = any || code == ZOK;
  }
  if (!any) return Errc::not_held;
  return {};
}

// Deletes all nodes of the claim: a semaphore's claim may have several.
Result<void> ZookeeperResource::evict(std::string_view owner, Deadline until) {
  if (owner.empty() || owner.find('/') != std::string_view::npos) return Errc::not_held;
  const std::string_view mine = protection_of(owner);
  std::vector<std::string> nodes;
  if (!mine.empty()) {
    constexpr std::size_t kBefore = 3;  // the length of "_c_"; a dash follows the id
    auto found = find_nodes(mine.substr(kBefore, mine.size() - kBefore - 1), until);
    if (!found) return std::move(found).error();
    nodes = *std::move(found);
  } else {
    for (const std::string& each : directories()) {
      nodes.push_back(each + "/" + std::string(owner));
    }
  }
  return remove_nodes(nodes, until);
}

std::vector<WatchTarget> ZookeeperResource::watch_targets() const {
  return {{path_, WatchFor::data}, {path_, WatchFor::children}};
}

Result<engine::Watch> ZookeeperResource::watch(const engine::Waker& waker,
                                               Deadline until) {
  struct Keep {
    Keep(std::shared_ptr<Backend> with, std::shared_ptr<std::atomic<int>> watches)
        : backend(std::move(with)), count(std::move(watches)) {
      ++*count;
    }
    ~Keep() { --*count; }
    Keep(const Keep&) = delete;
    Keep& operator=(const Keep&) = delete;
    const std::shared_ptr<Backend> backend;
    const std::shared_ptr<std::atomic<int>> count;
    std::shared_ptr<WatchSet> watch_set;
  };
  auto handle = backend_->sessions().handle(until);
  if (!handle) return std::move(handle).error();
  auto keep = std::make_shared<Keep>(backend_, watches_);
  keep->watch_set = WatchSet::make(backend_->watches(), watch_targets(), waker);
  Batch batch(*std::move(handle));
  arm(batch);
  if (auto done = batch.wait_to_read(until); !done) return std::move(done).error();
  return engine::Watch{std::move(keep), kLookAgain};
}

Result<std::vector<std::string>> ZookeeperResource::list(Deadline until) {
  Batch batch(backend_->sessions().handle(until));
  arm(batch);
  const auto listed = batch.children(path_);
  if (auto done = batch.wait_to_read(until); !done) return std::move(done).error();
  const Answer& answer = batch[listed];
  if (!answer.ok() && answer.code != ZNONODE) {
    return failure_of(answer.code, "list " + path_);
  }
  return answer.names;
}

void ZookeeperResource::arm(Batch& batch) const {
  if (!is_watched()) return;
  for (const WatchTarget& target : watch_targets()) {
    if (target.what == WatchFor::data) {
      batch.exists(target.path, WatchRegistry::key(target));
    } else {
      batch.children(target.path, WatchRegistry::key(target));
    }
  }
}

}  // namespace holdfast::zookeeper

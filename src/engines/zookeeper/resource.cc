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
  auto keep = std::make_shared<Keep>(backend_, watches_);
  keep->watch_set = WatchSet::make(backend_->watches(), watch_targets(), waker);
  Batch batch(backend_->sessions().handle(until));
  set_watches(batch);
  if (auto done = batch.wait_to_read(until); !done) return std::move(done).error();
  return engine::Watch{std::move(keep), kLookAgain};
}

Result<std::vector<std::string>> ZookeeperResource::list(Deadline until) {
  Batch batch(backend_->sessions().handle(until));
  set_watches(batch);
  const auto listed = batch.children(path_);
  if (auto done = batch.wait_to_read(until); !done) return std::move(done).error();
  const Answer& answer = batch[listed];
  if (!answer.ok() && answer.code != ZNONODE) {
    return failure_of(answer.code, "list " + path_);
  }
  return answer.names;
}

void ZookeeperResource::set_watches(Batch& batch) const {
  if (!is_watched()) return;
  for (const WatchTarget& target : watch_targets()) {
    if (target.what == WatchFor::data) {
      batch.exists(target.path, WatchRegistry::key(target));
    } else {
      batch.children(target.path, WatchRegistry::key(target));
    }
  }
}

ClaimResource::ClaimResource(std::shared_ptr<Backend> backend, std::string path,
                             engine::Kind kind)
    : ZookeeperResource(std::move(backend), std::move(path)), kind_(kind) {}

Result<engine::Verdict> ClaimResource::attempt(const Claim& claim,
                                               const engine::Waker& waker,
                                               Deadline until) {
  return kit::ClaimMachine(*this).attempt(claim, waker, until);
}

Result<Granted> ClaimResource::amend(const Claim& held, const Claim& wanted,
                                     Deadline until) {
  auto amended = kit::ClaimMachine(*this).amend(held, wanted, until);
  if (!amended && amended.error().code == Errc::not_held) {
    if (const auto last = claims_.held(held.ticket)) lose(held.ticket, *last);
  }
  return amended;
}

Result<void> ClaimResource::drop(const Claim& claim, Deadline until) {
  return kit::ClaimMachine(*this).drop(claim, until);
}

std::string_view ClaimResource::payload_of(const Claim& claim) const noexcept {
  return claim.payload.empty() ? std::string_view(backend().payload()) : claim.payload;
}

Result<std::int64_t> ClaimResource::session(Deadline until) {
  const auto handle = backend().sessions().handle(until);
  if (!handle) return handle.error();
  return (*handle)->id();
}

// While there is no other session, this one may still be alive.
bool ClaimResource::is_over(std::int64_t session_id) {
  const auto current = backend().sessions().current();
  return current != nullptr && current->id() != 0 && current->id() != session_id;
}

Result<kit::Capacity> ClaimResource::set_capacity(ClaimState&, const Claim&, Deadline) {
  return Errc::unsupported;
}

Result<bool> ClaimResource::admit(ClaimState&, const Claim&, const Snapshot&,
                                  Deadline) {
  return true;
}

Granted ClaimResource::granted(const ClaimState& state, const Claim& claim,
                               Clock::time_point asked) const {
  const auto handle = backend().sessions().current();
  const bool share = backend().options().hand_over;
  return {.token = {state.token},
          .tokens = share ? std::max(claim.tokens, 1U) : 1U,
          .lease = handle != nullptr && handle->id() == state.session_id
                       ? Backend::lease_from(*handle, asked, claim.lease)
                       : engine::LeaseTime::zero(),
          .one_token = share};
}

Result<void> ClaimResource::send_change(ClaimState&, const Claim&, Batch&) {
  return Errc::unsupported;
}

Result<void> ClaimResource::read_change(ClaimState&, const Claim&, const Batch&) {
  return Errc::unsupported;
}

// The renewer may drop a claim whose lease has ended while a change of it is under way.
// The server applies the requests of a session in order: a drop that is sent after the
// change deletes what the change has created, and after a drop no change is sent.
Result<void> ClaimResource::rewrite(ClaimState& state, const Claim& wanted,
                                    Deadline until) {
  auto handle = backend().sessions().handle(until);
  if (!handle) return std::move(handle).error();
  if ((*handle)->id() != state.session_id) return Errc::not_held;
  Batch batch(*std::move(handle));
  base::MutexLock lock(granted_mutex_);
  if (!claims_.held(wanted.ticket)) return Errc::not_held;
  if (auto sent = send_change(state, wanted, batch); !sent) return sent;
  ++state.amending;
  lock.unlock();
  auto done = batch.wait(until);
  lock.lock();
  --state.amending;
  if (done) done = read_change(state, wanted, batch);
  if (!done) return done;
  HeldClaim now = held(state);
  const bool is_held = claims_.update_held(
      wanted.ticket, [&](HeldClaim& seen) { std::swap(seen, now); });
  return is_held ? Result<void>() : Errc::not_held;
}

// A change that is under way, or has been made since, decides itself what is lost.
void ClaimResource::lose(engine::Ticket ticket, const HeldClaim& held) {
  base::MutexLock lock(granted_mutex_);
  const auto state = claims_.find(ticket);
  if (state == nullptr || state->amending > 0) return;
  if (state->session_id != held.session_id || state->nodes() != held.nodes) return;
  if (!claims_.lose(ticket) || is_over(held.session_id)) return;
  for (std::string& node : state->possible_nodes()) {
    backend().sessions().delete_later(std::move(node));
  }
}

Result<void> ClaimResource::remove(ClaimState& state, engine::Ticket,
                                   const std::optional<HeldClaim>&, Deadline until) {
  base::MutexLock lock(granted_mutex_);
  std::vector<std::string> nodes = state.possible_nodes();
  const bool may_exist = state.may_exist || state.leases_may_exist;
  lock.unlock();
  if (!may_exist && until <= Clock::now()) {
    for (std::string& node : nodes) backend().sessions().delete_later(std::move(node));
    return {};
  }
  if (may_exist) {
    const auto found = find_nodes(state.id, until);
    if (!found) return found.error();
    nodes.insert(nodes.end(), found->begin(), found->end());
  }
  return remove_nodes(nodes, until);
}

// The nodes whose name is this id, or begins with its protection.
Result<std::vector<std::string>> ClaimResource::find_nodes(std::string_view id,
                                                           Deadline until) {
  Batch batch(backend().sessions().handle(until));
  batch.sync(path());
  const auto parents = directories();
  std::vector<std::size_t> listed;
  listed.reserve(parents.size());
  for (const std::string& each : parents) listed.push_back(batch.children(each));
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  const std::string prefix = protection(id);
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const Answer& list = batch[listed[i]];
    const auto there = is_there(list.code, "list", parents[i]);
    if (!there.has_value()) return there.error();
    for (const std::string& child : list.names) {
      if (child == id || child.starts_with(prefix)) {
        nodes.push_back(parents[i] + "/" + child);
      }
    }
  }
  return nodes;
}

// Errc::not_held: none of the nodes existed.
Result<void> ClaimResource::remove_nodes(const std::vector<std::string>& nodes,
                                         Deadline until) {
  if (nodes.empty()) return Errc::not_held;
  Batch batch(backend().sessions().handle(until));
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
Result<void> ClaimResource::evict(std::string_view owner, Deadline until) {
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

}  // namespace holdfast::zookeeper

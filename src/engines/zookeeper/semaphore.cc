// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/semaphore.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "engines/zookeeper/listing.h"

namespace holdfast::zookeeper {

using engine::Claim;
using engine::Deadline;
using engine::Entry;

namespace {

constexpr std::uint32_t kAll = std::numeric_limits<std::uint32_t>::max();

std::uint32_t as_capacity(std::int64_t number) noexcept {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, kAll));
}

// The node is no longer in the queue.
void leave_queue(ClaimState& state) {
  state.node.clear();
  state.own_watch.reset();
}

}  // namespace

void count_permits(ClaimResource::Snapshot& queue, std::uint32_t permits) {
  for (engine::QueueEntry& each : queue.entries) each.permits = kAll;
  queue.entries.back().permits = permits;
  queue.entries.insert(queue.entries.begin(), queue.taken, {.granted = true});
  queue.own = queue.entries.size() - 1;
}

SemaphoreResource::SemaphoreResource(std::shared_ptr<Backend> backend,
                                     const std::string& path)
    : WithRegister(std::move(backend), path, engine::Kind::semaphore, path + "/locks",
                   engine::Kind::mutex),
      leases_{path + "/leases", WatchFor::children},
      permits_(*this, path + "/permits", RegisterFormat::shared_count) {}

std::vector<std::string> SemaphoreResource::directories() const {
  return {directory(), leases_.path};
}

std::vector<WatchTarget> SemaphoreResource::watch_targets() const {
  return {{path(), WatchFor::data},
          {path(), WatchFor::children},
          {leases_.path, WatchFor::data},
          leases_,
          watched_permits_};
}

Result<std::optional<SemaphoreResource::Snapshot>> SemaphoreResource::look(
    ClaimState& state, const Claim& claim, Deadline until) {
  if (state.leases_may_exist) {
    const auto taken = recover(state, claim.permits, until);
    if (!taken.has_value()) return taken.error();
    if (*taken) {
      Snapshot own;
      own.entries = {{.permits = claim.permits, .granted = true}};
      return std::optional(std::move(own));
    }
  }
  if (auto good = check(until); !good) return std::move(good).error();
  auto looked = Queue::look(state, claim, until);
  if (!looked || !*looked) return looked;
  count_permits(**looked, claim.permits);
  return looked;
}

// Only the leases and the capacity are read.
Result<std::optional<SemaphoreResource::Snapshot>> SemaphoreResource::look_as_first(
    ClaimState& state, const Claim&, Deadline until) {
  using Looked = std::optional<Snapshot>;
  state.is_first = true;
  Batch batch(backend().sessions().handle(until));
  const auto own = batch.exists(state.node);
  const auto more = add_requests(batch, Watched::nothing);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  const auto there = is_there(batch[own].code, "look at", state.node);
  if (!there.has_value()) return there.error();
  if (!*there || batch[own].stat.ephemeralOwner != state.session_id) {
    state.start_again();
    return Looked();
  }
  Snapshot queue;
  queue.entries.emplace_back();
  queue.retry_after = kit::pause_behind(0);
  auto read = read_answers(batch, more, Watched::nothing, queue);
  if (!read) return std::move(read).error();
  return Looked(std::move(queue));
}

std::size_t SemaphoreResource::add_requests(Batch& batch, Watched watched) const {
  const bool permits = watched != Watched::nothing;
  const auto first =
      batch.get(permits_.path(), permits ? WatchRegistry::key(watched_permits_) : 0);
  const bool leases = watched == Watched::both;
  if (watched != Watched::permits) {
    batch.children(leases_.path, leases ? WatchRegistry::key(leases_) : 0);
  }
  return first;
}

Result<void> SemaphoreResource::read_answers(const Batch& batch, std::size_t first,
                                             Watched watched, Snapshot& queue) const {
  const auto stored = permits_.read(batch[first]);
  if (!stored) return stored.error();
  if (stored->has_number) queue.capacity = as_capacity(stored->number);
  if (watched == Watched::permits) return {};
  const Answer& leases = batch[first + 1];
  const auto listed = is_there(leases.code, "list", leases_.path);
  if (!listed.has_value()) return listed.error();
  queue.taken = leases.names.size();
  return {};
}

// Checks that the path is a semaphore's, before anything is created below it.
Result<void> SemaphoreResource::check(Deadline until) {
  if (known_.load()) return {};
  Batch batch(backend().sessions().handle(until));
  const auto listed = batch.children(path());
  if (auto done = batch.wait(until); !done) return done;
  const auto foreign = [](const std::string& child) {
    return !belongs(role_of(child), engine::Kind::semaphore);
  };
  const Answer& list = batch[listed];
  const auto there = is_there(list.code, "list", path());
  if (!there.has_value()) return there.error();
  if (list.stat.dataLength != 0 ||
      std::any_of(list.names.begin(), list.names.end(), foreign)) {
    return used_by_another_kind(path());
  }
  known_.store(true);
  return {};
}

Result<kit::Capacity> SemaphoreResource::set_capacity(ClaimState&, const Claim& claim,
                                                      Deadline until) {
  const auto written =
      permits_.exchange({}, claim.capacity, engine::Ticket::none, until);
  if (!written) return written.error();
  return kit::Capacity(as_capacity(written->now.number));
}

// One transaction creates the leases and deletes the node in the queue. It also writes
// to that node, because the answer to this write contains the transaction's zxid, which
// is the token. The claim is the first of the queue, so other claims can only give
// permits back meanwhile.
Result<bool> SemaphoreResource::admit(ClaimState& state, const Claim& claim,
                                      const Snapshot&, Deadline until) {
  const std::string name =
      leases_.path + "/" + protection(state.id) + std::string(base_of(NodeRole::lease));
  std::vector<Op> ops{{Op::Type::set, state.node, std::string(payload_of(claim))}};
  for (std::uint32_t i = 0; i < claim.permits; ++i) {
    ops.push_back({Op::Type::create, name, std::string(payload_of(claim)),
                   Node::ephemeral_sequential});
  }
  ops.push_back({Op::Type::remove, state.node});
  state.own_watch.reset();  // that the node ends by this is no news
  for (;;) {
    auto handle = backend().sessions().handle(until);
    if (!handle) return std::move(handle).error();
    if ((*handle)->id() != state.session_id) return false;
    Batch batch(*std::move(handle));
    state.leases_may_exist = true;
    const auto all = batch.multi(ops);
    if (auto done = batch.wait(until); !done) return std::move(done).error();
    if (batch[all].ok()) {
      state.token = static_cast<std::uint64_t>(batch.op_stat(0).mzxid);
      state.leases.clear();
      for (std::size_t i = 1; i <= claim.permits; ++i) {
        state.leases.push_back(batch.op_path(i));
      }
      state.leases_may_exist = false;
      leave_queue(state);
      return true;
    }
    state.leases_may_exist = false;
    if (batch.op_code(0) == ZNONODE) {  // another client has deleted the node
      state.start_again();
      return false;
    }
    if (batch[all].code != ZNONODE)
      return failure_of(batch[all].code, "create " + name);
    auto made = backend().make_parents(name, until);
    if (!made) return std::move(made).error();
  }
}

// The first of the queue has no node to wait for, but leases.
Result<bool> SemaphoreResource::arm(ClaimState& state, const Snapshot& queue,
                                    const kit::Obstacle&, const engine::Waker& waker,
                                    Deadline until) {
  kit::Obstacle ahead{.ends = queue.own - queue.taken};
  std::vector<WatchTarget> targets{watched_permits_};
  if (ahead.ends > 0) {
    ahead.entry = queue.own - 1;
  } else {
    targets.push_back(leases_);
  }
  state.capacity_watch = WatchSet::make(backend().watches(), std::move(targets), waker);
  return Queue::arm(state, queue, ahead, waker, until);
}

// Returns whether the leases exist for which the answer was lost. If another client has
// deleted some of them, the claim is gone, and the others are deleted, too.
Result<bool> SemaphoreResource::recover(ClaimState& state, std::uint32_t permits,
                                        Deadline until) {
  auto handle = backend().sessions().handle(until);
  if (!handle) return std::move(handle).error();
  if ((*handle)->id() != state.session_id) return false;
  Batch batch(*handle);
  batch.sync(leases_.path);
  const auto listed = batch.children(leases_.path);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  const auto any = is_there(batch[listed].code, "list", leases_.path);
  if (!any.has_value()) return any.error();
  const std::string mine = protection(state.id);
  std::vector<std::string> found;
  Batch look(*handle);
  for (const std::string& each : batch[listed].names) {
    if (!each.starts_with(mine)) continue;
    found.push_back(leases_.path + "/" + each);
    look.exists(found.back());
  }
  if (auto done = look.wait(until); !done) return std::move(done).error();
  state.leases.clear();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto there = is_there(look[i].code, "look at", found[i]);
    if (!there.has_value()) return there.error();
    if (!*there || look[i].stat.ephemeralOwner != state.session_id) continue;
    state.token = static_cast<std::uint64_t>(look[i].stat.czxid);
    state.leases.push_back(std::move(found[i]));
  }
  if (state.leases.size() < permits) {
    Batch rest(*std::move(handle));
    for (const std::string& each : state.leases) rest.remove(each);
    if (auto done = rest.wait(until); !done) return std::move(done).error();
    for (std::size_t i = 0; i < state.leases.size(); ++i) {
      const auto gone = is_there(rest[i].code, "delete", state.leases[i]);
      if (!gone.has_value()) return gone.error();
    }
    state.leases.clear();
  }
  state.leases_may_exist = false;
  if (state.leases.empty()) return false;
  leave_queue(state);
  return true;
}

Result<void> SemaphoreResource::send_change(ClaimState& state, const Claim& wanted,
                                            Batch& batch) {
  for (std::size_t i = 0; i < state.leases.size(); ++i) {
    if (i >= wanted.permits) {
      batch.remove(state.leases[i]);
    } else if (!wanted.payload.empty()) {
      batch.set(state.leases[i], wanted.payload, kAnyVersion);
    } else {
      batch.exists(state.leases[i]);
    }
  }
  return {};
}

Result<void> SemaphoreResource::read_change(ClaimState& state, const Claim& wanted,
                                            const Batch& batch) {
  for (std::size_t i = 0; i < wanted.permits; ++i) {
    const int code = batch[i].code;
    if (code == ZNONODE) return Errc::not_held;
    if (code != ZOK) return failure_of(code, "change " + state.leases[i]);
  }
  state.leases.resize(wanted.permits);
  return {};
}

Result<engine::Exchanged> SemaphoreResource::exchange(const engine::Value& from,
                                                      std::optional<std::int64_t> to,
                                                      engine::Ticket ticket,
                                                      Deadline until) {
  auto changed = permits_.exchange(from, to, ticket, until);
  if (changed && changed->done && !to) remove_parts(until);
  return changed;
}

// Without its capacity the semaphore does not exist, but its nodes would keep the name
// from becoming a register. They are deleted together or not at all: a node that is in
// use, or a capacity that was written meanwhile, keeps all of them.
void SemaphoreResource::remove_parts(Deadline until) {
  auto handle = backend().sessions().handle(until);
  if (!handle) return;
  const std::array<std::string, 3> parts{permits_.path(), leases_.path, directory()};
  Batch seen(*handle);
  for (const std::string& each : parts) seen.get(each);
  if (!seen.wait(until)) return;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!is_there(seen[i].code, "read", parts[i]).has_value()) return;
  }
  if (!seen[0].text.empty()) return;
  std::vector<Op> ops;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!seen[i].ok()) continue;
    ops.push_back(
        {Op::Type::remove, parts[i], {}, Node::persistent, seen[i].stat.version});
  }
  if (ops.empty()) return;
  Batch batch(*std::move(handle));
  (void)batch.multi(std::move(ops));
  if (batch.wait(until)) known_ = false;
}

// The claims that have permits, each once, and then those that wait.
Result<std::vector<Entry>> SemaphoreResource::survey(std::size_t limit,
                                                     Deadline until) {
  Batch batch(backend().sessions().handle(until));
  set_watches(batch);
  const auto taken = batch.children(leases_.path);
  const auto queue = batch.children(directory());
  if (auto done = batch.wait_to_read(until); !done) return std::move(done).error();
  for (const auto each : {taken, queue}) {
    const auto listed = is_there(batch[each].code, "list the parts of", path());
    if (!listed.has_value()) return listed.error();
  }
  std::vector<std::string> holders;
  std::map<std::string, std::uint32_t, std::less<>> permits;
  std::vector<std::string> leases = batch[taken].names;
  put_in_order(leases);
  for (std::string& each : leases) {
    const std::string claim_id(protection_of(each));
    if (!claim_id.empty() && permits[claim_id]++ > 0) continue;
    holders.push_back(std::move(each));
  }
  auto entries = read_entries(backend(), leases_.path, holders, limit, 0, until);
  if (!entries) return entries;
  for (Entry& each : *entries) {
    each.granted = true;
    const auto found = permits.find(protection_of(each.owner));
    if (found != permits.end()) each.permits = found->second;
  }
  if (entries->size() >= limit) return entries;
  std::vector<std::string> waiting = batch[queue].names;
  put_in_order(waiting);
  std::erase_if(waiting, [&](const std::string& each) {
    return permits.contains(protection_of(each));
  });
  auto more =
      read_entries(backend(), directory(), waiting, limit - entries->size(), 0, until);
  if (!more) return more;
  entries->insert(entries->end(), more->begin(), more->end());
  return entries;
}

}  // namespace holdfast::zookeeper

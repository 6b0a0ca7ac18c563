// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/double_barrier.h"

#include <algorithm>
#include <utility>

#include "engines/kit/queue_rules.h"
#include "engines/zookeeper/children.h"
#include "engines/zookeeper/queue.h"
#include "engines/zookeeper/stored_register.h"
#include "engines/zookeeper/survey.h"

namespace holdfast::zookeeper {

using engine::Claim;
using engine::Deadline;
using engine::Entry;

namespace {

constexpr std::string_view kReady = "ready";

std::vector<std::string> members_of(const std::vector<std::string>& children) {
  std::vector<std::string> members;
  std::copy_if(children.begin(), children.end(), std::back_inserter(members),
               [](const std::string& child) { return child != kReady; });
  std::sort(members.begin(), members.end());
  return members;
}

bool is_foreign(const std::string& child) {
  return !belongs(role_of(child), engine::Kind::double_barrier);
}

}  // namespace

DoubleBarrierResource::DoubleBarrierResource(std::shared_ptr<Backend> backend,
                                             std::string path)
    : ZookeeperResource(std::move(backend), std::move(path)),
      ready_(this->backend(), this->path() + "/" + std::string(kReady),
             RegisterFormat::barrier) {}

Result<engine::Verdict> DoubleBarrierResource::attempt(const Claim& claim,
                                                       const engine::Waker& waker,
                                                       Deadline until) {
  const auto asked = Clock::now();
  const auto state = state_of(claim);
  std::size_t present = 0;
  const auto in = enter(*state, claim, waker, until, present);
  if (!in.has_value()) return in.error();
  if (*in) return grant(claim, *state, asked);
  if (waker == nullptr) {
    if (auto left = ZookeeperResource::drop(claim, until); !left) {
      if (left.error().code != Errc::not_held) return std::move(left).error();
    }
  }
  return engine::Verdict(engine::Blocked{kit::pause_behind(present)});
}

Result<bool> DoubleBarrierResource::enter(ClaimState& state, const Claim& claim,
                                          const engine::Waker& waker, Deadline until,
                                          std::size_t& present) {
  for (;;) {
    auto read = read_members(state, claim, waker, until);
    if (!read) return std::move(read).error();
    if (!*read) continue;
    if (state.granted) return true;
    const Snapshot& snapshot = **read;
    present = snapshot.members.size();
    if (snapshot.opened) {
      if (*snapshot.opened > static_cast<std::int64_t>(state.token)) return true;
      const auto joined = join(*snapshot.opened, claim, snapshot.members, until);
      if (!joined.has_value()) return joined.error();
      if (*joined) return true;
      continue;
    }
    if (present < claim.capacity) return false;
    const auto opened = open(snapshot.members, until);
    if (!opened.has_value()) return opened.error();
    if (*opened) return true;
  }
}

// Opens the barrier for the parties that were seen, if all of them still exist when the
// request arrives. Returns false if the parties must be read again.
Result<bool> DoubleBarrierResource::open(const std::vector<std::string>& members,
                                         Deadline until) {
  std::vector<Op> ops;
  ops.reserve(members.size() + 1);
  for (const std::string& each : members) {
    ops.push_back({Op::Type::check, path() + "/" + each});
  }
  ops.push_back({Op::Type::create, ready_.path(), backend().payload()});
  Batch batch(backend().sessions().handle(until));
  const auto all = batch.multi(std::move(ops));
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  const int code = batch[all].code;
  if (code == ZNONODE || code == ZNODEEXISTS) return false;
  if (code != ZOK) return failure_of(code, "create " + ready_.path());
  return true;
}

// Creates the claim's node, unless it exists, and reads which parties there are.
// Returns nullopt if they must be read again.
Result<std::optional<DoubleBarrierResource::Snapshot>>
DoubleBarrierResource::read_members(ClaimState& state, const Claim& claim,
                                    const engine::Waker& waker, Deadline until) {
  auto handle = backend().sessions().handle(until);
  if (!handle) return std::move(handle).error();
  const std::int64_t session = (*handle)->id();
  if (state.session != session) state.start_again(session);
  if (state.granted) return std::optional(Snapshot{});
  const WatchTarget own{path() + "/" + state.id};
  const WatchTarget ready{ready_.path()};
  if (waker != nullptr) {
    state.obstacle_watch = WatchSet::make(backend().watches(), {ready, own}, waker);
  }
  Batch batch(*std::move(handle));
  const bool make = state.node.empty();
  state.may_exist = state.may_exist || make;
  const auto made =
      make ? batch.create(own.path, payload_of(claim), Node::ephemeral) : 0;
  const auto listed = batch.children(path());
  const auto open = batch.exists(ready.path, WatchRegistry::key(ready));
  const auto mine = batch.exists(own.path, WatchRegistry::key(own));
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  state.may_exist = false;
  if (const int code = batch[made].code; make && code != ZOK && code != ZNODEEXISTS) {
    if (code != ZNONODE) return failure_of(code, "create a node in " + path());
    auto parents = backend().make_parents(own.path, until);
    if (!parents) return std::move(parents).error();
    return std::optional<Snapshot>();
  }
  if (!batch[mine].ok()) {  // another client has deleted the node
    state.start_again(session);
    return std::optional<Snapshot>();
  }
  state.node = own.path;
  state.token = static_cast<std::uint64_t>(batch[mine].stat.czxid);
  const auto& children = batch[listed].names;
  const bool foreign = std::any_of(children.begin(), children.end(), is_foreign);
  const bool of_old_session = batch[mine].stat.ephemeralOwner != session;
  if (foreign || of_old_session) {
    if (auto left = remove_node(backend(), state, until); !left)
      return std::move(left).error();
    if (!foreign) return std::optional<Snapshot>();
    return used_by_another_kind(path());
  }
  Snapshot snapshot{members_of(children), std::nullopt};
  if (batch[open].ok()) snapshot.opened = batch[open].stat.mzxid;
  return std::optional(std::move(snapshot));
}

// The barrier was opened before this claim came. If another claim is still inside, this
// one joins it and writes `ready` again, so that the next one can see that a claim is
// inside. If none is inside, all of them may have died without closing the barrier, and
// it is closed first.
Result<bool> DoubleBarrierResource::join(std::int64_t opened, const Claim& claim,
                                         const std::vector<std::string>& members,
                                         Deadline until) {
  Batch batch(backend().sessions().handle(until));
  for (const std::string& each : members) batch.exists(path() + "/" + each);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  bool any_inside = false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    any_inside = any_inside || (batch[i].ok() && batch[i].stat.czxid < opened);
  }
  if (!any_inside) {
    if (auto shut = close(until); !shut) return std::move(shut).error();
    return false;
  }
  Batch note(backend().sessions().handle(until));
  const auto written = note.set(ready_.path(), payload_of(claim), kAnyVersion);
  if (auto done = note.wait(until); !done) return std::move(done).error();
  return note[written].ok();
}

Result<void> DoubleBarrierResource::close(Deadline until) {
  auto shut = ready_.exchange({1, engine::kAnyVersion}, std::nullopt,
                              engine::Ticket::none, until);
  if (!shut) return std::move(shut).error();
  return {};
}

// The last claim that leaves closes the barrier.
Result<void> DoubleBarrierResource::drop(const Claim& claim, Deadline until) {
  const auto state = claims().find(claim.ticket);
  const bool was_in = state != nullptr && state->granted;
  const auto later = std::max(until, Clock::now() + std::chrono::seconds(1));
  auto dropped = ZookeeperResource::drop(claim, was_in ? later : until);
  if (!dropped || !was_in) return dropped;
  auto handle = backend().sessions().handle(later);
  if (!handle) return dropped;
  Batch batch(*std::move(handle));
  const auto listed = batch.children(path());
  if (!batch.wait(later) || !batch[listed].ok()) return dropped;
  if (members_of(batch[listed].names).empty()) (void)close(later);
  return dropped;
}

Result<engine::Value> DoubleBarrierResource::load(Deadline until) {
  return ready_.load(until, [this](Batch& batch) { arm(batch); });
}

Result<engine::Exchanged> DoubleBarrierResource::exchange(
    const engine::Value& from, std::optional<std::int64_t> to, engine::Ticket ticket,
    Deadline until) {
  return ready_.exchange(from, to, ticket, until);
}

// The tag of a latch is a UUID, as the node of a claim is.
Result<bool> DoubleBarrierResource::is_a_latch(Deadline until) {
  Batch batch(backend().sessions().handle(until));
  const auto got = batch.get(path());
  if (auto done = batch.wait_to_read(until); !done) return std::move(done).error();
  return batch[got].ok() && is_latch(batch[got].text);
}

Result<std::vector<Entry>> DoubleBarrierResource::survey(std::size_t limit,
                                                         Deadline until) {
  const auto listed = list(until);
  if (!listed) return listed.error();
  auto members = members_of(*listed);
  const bool open = members.size() < listed->size();
  std::erase_if(members, is_foreign);
  if (!members.empty()) {
    const auto latch = is_a_latch(until);
    if (!latch.has_value()) return latch.error();
    if (*latch) return std::vector<Entry>();
  }
  auto entries = read_entries(backend(), path(), members, limit, 0, until);
  if (!entries) return entries;
  for (Entry& each : *entries) each.granted = open;
  return entries;
}

}  // namespace holdfast::zookeeper

// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/double_barrier.h"

#include <algorithm>
#include <utility>

#include "engines/zookeeper/children.h"
#include "engines/zookeeper/listing.h"
#include "engines/zookeeper/stored_register.h"

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

// Whether the party came before the barrier was opened.
bool is_inside(const Answer& party, std::int64_t opened) {
  return party.ok() && party.stat.czxid < opened;
}

}  // namespace

DoubleBarrierResource::DoubleBarrierResource(std::shared_ptr<Backend> backend,
                                             std::string path)
    : ClaimResource(std::move(backend), std::move(path), engine::Kind::double_barrier),
      ready_(*this, this->path() + "/" + std::string(kReady), RegisterFormat::barrier) {
}

// Creates the claim's node, unless it exists, and reads which parties there are and
// whether the barrier is open. The watches are set at once, and `arm` asks whether they
// have fired.
Result<std::optional<DoubleBarrierResource::Snapshot>> DoubleBarrierResource::look(
    ClaimState& state, const Claim& claim, Deadline until) {
  using Looked = std::optional<Snapshot>;
  auto handle = backend().sessions().handle(until);
  if (!handle) return std::move(handle).error();
  if ((*handle)->id() != state.session_id) return Looked();
  if (state.id.empty()) state.id = backend().id_of(claim.ticket);
  const WatchTarget own{path() + "/" + state.id};
  const WatchTarget ready{ready_.path()};
  state.obstacle_watch = WatchSet::make(backend().watches(), {ready, own}, nullptr);
  Batch batch(*std::move(handle));
  const bool make = state.node.empty();
  state.may_exist = state.may_exist || make;
  const auto made =
      make ? batch.create(own.path, payload_of(claim), Node::ephemeral) : 0;
  const auto listed = batch.children(path());
  const auto open = batch.exists(ready.path, WatchRegistry::key(ready));
  const auto mine = batch.exists(own.path, WatchRegistry::key(own));
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  // Only the answer about the node says whether it exists.
  if (batch[mine].ok()) {
    state.token = static_cast<std::uint64_t>(batch[mine].stat.czxid);
    state.node = own.path;
  }
  const auto there = is_there(batch[mine].code, "look at", own.path);
  if (there.has_value()) state.may_exist = false;
  if (const int code = batch[made].code; make && code != ZOK && code != ZNODEEXISTS) {
    if (code != ZNONODE) return failure_of(code, "create a node in " + path());
    auto parents = backend().make_parents(own.path, until);
    if (!parents) return std::move(parents).error();
    return Looked();
  }
  if (!there.has_value()) return there.error();
  if (!*there) {  // another client has deleted the node
    state.start_again();
    return Looked();
  }
  if (!batch[listed].ok()) return failure_of(batch[listed].code, "list " + path());
  const auto& children = batch[listed].names;
  if (std::any_of(children.begin(), children.end(), is_foreign)) {
    return used_by_another_kind(path());
  }
  if (batch[mine].stat.ephemeralOwner != state.session_id) {
    Batch old(backend().sessions().handle(until));
    old.remove(own.path);
    if (auto done = old.wait(until); !done) return std::move(done).error();
    state.start_again();
    return Looked();
  }
  Snapshot queue;
  queue.nodes = members_of(children);
  const auto at = std::find(queue.nodes.begin(), queue.nodes.end(), state.id);
  if (at == queue.nodes.end()) return Looked();
  queue.entries.resize(queue.nodes.size());
  queue.own = static_cast<std::size_t>(at - queue.nodes.begin());
  queue.retry_after = kit::pause_behind(queue.nodes.size());
  const auto is_open = is_there(batch[open].code, "look at", ready.path);
  if (!is_open.has_value()) return is_open.error();
  if (*is_open) queue.opened = batch[open].stat.mzxid;
  if (!queue.opened) return Looked(std::move(queue));
  queue.entries[queue.own].granted = is_inside(batch[mine], *queue.opened);
  if (queue.entries[queue.own].granted) return Looked(std::move(queue));
  return find_inside(std::move(queue), until);
}

// The barrier was opened before this claim came. If no claim is inside, all of them may
// have died without closing the barrier, and it is closed first.
Result<std::optional<DoubleBarrierResource::Snapshot>>
DoubleBarrierResource::find_inside(Snapshot queue, Deadline until) {
  Batch batch(backend().sessions().handle(until));
  for (const std::string& each : queue.nodes) batch.exists(path() + "/" + each);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  bool any = false;
  for (std::size_t i = 0; i < queue.nodes.size(); ++i) {
    const auto there =
        is_there(batch[i].code, "look at", path() + "/" + queue.nodes[i]);
    if (!there.has_value()) return there.error();
    queue.entries[i].granted = i != queue.own && is_inside(batch[i], *queue.opened);
    any = any || queue.entries[i].granted;
  }
  if (any) return std::optional(std::move(queue));
  if (auto shut = close(until); !shut) return std::move(shut).error();
  return std::optional<Snapshot>();
}

// A claim that finds the barrier open joins the claims inside and writes `ready` again,
// so that the next one can see that a claim is inside. Otherwise this one opens the
// barrier for the parties that were seen, if all of them still exist when the request
// arrives.
Result<bool> DoubleBarrierResource::admit(ClaimState&, const Claim& claim,
                                          const Snapshot& queue, Deadline until) {
  Batch batch(backend().sessions().handle(until));
  if (queue.opened) {
    const auto written = batch.set(ready_.path(), payload_of(claim), kAnyVersion);
    if (auto done = batch.wait(until); !done) return std::move(done).error();
    return is_there(batch[written].code, "write to", ready_.path());
  }
  std::vector<Op> ops;
  ops.reserve(queue.nodes.size() + 1);
  for (const std::string& each : queue.nodes) {
    ops.push_back({Op::Type::check, path() + "/" + each});
  }
  ops.push_back({Op::Type::create, ready_.path(), backend().payload()});
  const auto all = batch.multi(std::move(ops));
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  const int code = batch[all].code;
  if (code == ZNONODE || code == ZNODEEXISTS) return false;
  if (code != ZOK) return failure_of(code, "create " + ready_.path());
  return true;
}

Result<bool> DoubleBarrierResource::arm(ClaimState& state, const Snapshot&,
                                        const kit::Obstacle&,
                                        const engine::Waker& waker, Deadline) {
  return state.obstacle_watch->arm(waker);
}

Result<void> DoubleBarrierResource::close(Deadline until) {
  auto shut = ready_.exchange({1, engine::kAnyVersion}, std::nullopt,
                              engine::Ticket::none, until);
  if (!shut) return std::move(shut).error();
  return {};
}

// The last claim that leaves closes the barrier. If the request for that is lost, the
// next one to come finds no claim inside and closes it.
Result<void> DoubleBarrierResource::drop(const Claim& claim, Deadline until) {
  const auto state = claims().find(claim.ticket);
  const bool was_in = state != nullptr && state->granted;
  auto dropped = ClaimResource::drop(claim, until);
  if (!dropped || !was_in) return dropped;
  if (until <= Clock::now()) {
    backend().sessions().delete_alone_later(ready_.path());
    return dropped;
  }
  Batch batch(backend().sessions().handle(until));
  const auto listed = batch.children(path());
  if (!batch.wait(until) || !batch[listed].ok()) return dropped;
  if (members_of(batch[listed].names).empty()) (void)close(until);
  return dropped;
}

Result<engine::Value> DoubleBarrierResource::load(Deadline until) {
  return ready_.load(until);
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
  auto there = is_there(batch[got].code, "read", path());
  if (!there.has_value() || !*there) return there;
  return is_latch(batch[got].text);
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

#include "engines/zookeeper/line.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "engines/zookeeper/pauses.h"
#include "engines/zookeeper/survey.h"
#include "holdfast/engine/admission.h"

namespace holdfast::zookeeper {

using engine::Claim;
using engine::Deadline;
using engine::Entry;
using engine::Granted;
using engine::Mode;

LineResource::LineResource(std::shared_ptr<Backend> backend, std::string path,
                           engine::Kind kind)
    : ZookeeperResource(std::move(backend), std::move(path)),
      kind_(kind),
      queue_(this->backend(), this->path(), kind) {}

Result<engine::Verdict> LineResource::attempt(const Claim& claim,
                                              const engine::Waker& waker,
                                              Deadline until) {
  const auto asked = Clock::now();
  const auto place = place_of(claim);
  const auto turn = queue_.ask(*place, claim.mode, content(claim), waker, until);
  if (!turn) return turn.error();
  if (turn->come) return grant(claim, *place, asked);
  if (waker == nullptr) places().erase(claim.ticket);
  return engine::Verdict(engine::Blocked{pause_behind(turn->ahead)});
}

// The reader's node has the writer's number, and so keeps its place in line.
std::string LineResource::reader_of(const Place& writer) const {
  return path() + "/" + protection(writer.id) + std::string(base_of(Sort::read)) +
         std::string(order_of(writer.node));
}

Result<Granted> LineResource::amend(const Claim& held, const Claim& wanted,
                                    Deadline until) {
  const bool shared = kind_ == engine::Kind::shared_mutex;
  const auto send = [&](Place& place, Batch& batch) -> Result<void> {
    const bool reads = sort_of(place.node) == Sort::read;
    if (shared && reads && wanted.mode == Mode::exclusive) {
      return base::reader_cannot_write(path());
    }
    if (shared && !reads && wanted.mode == Mode::shared) {
      place.next_node = reader_of(place);
      batch.all({
          {Op::What::create, place.next_node, std::string(content(wanted)),
           Node::ephemeral},
          {Op::What::remove, place.node},
      });
    } else if (!wanted.payload.empty()) {
      batch.set(place.node, wanted.payload, kAnyVersion);
    }
    return {};
  };
  const auto finish = [](Place& place, const Batch& batch) -> Result<void> {
    const int code = batch.first_code();
    if (code == ZNONODE) return Errc::not_held;
    const bool became = !place.next_node.empty() && code == ZNODEEXISTS;
    if (code != ZOK && !became) return failure_of(code, "change " + place.node);
    if (place.next_node.empty()) return {};
    place.node = std::exchange(place.next_node, {});
    place.own.reset();
    return {};
  };
  return change(held, wanted, until, send, finish);
}

Result<std::vector<Entry>> LineResource::survey(std::size_t limit, Deadline until) {
  auto listed = list(until);
  if (!listed) return std::move(listed).error();
  std::vector<std::string>& children = *listed;
  std::erase_if(children, [this](const std::string& child) {
    return !belongs(sort_of(child), kind_);
  });
  put_in_order(children);
  const Ears::Key first = is_watched() ? Ears::key(path(), Change::data) : 0;
  auto entries = read_entries(backend(), path(), children, limit, first, until);
  if (!entries) return entries;
  std::vector<engine::QueueEntry> line;
  for (const Entry& each : *entries) line.push_back({.mode = each.mode});
  for (std::size_t i = 0; i < line.size(); ++i) {
    (*entries)[i].granted = engine::admits(kind_, 0, line, i);
  }
  return entries;
}

}  // namespace holdfast::zookeeper

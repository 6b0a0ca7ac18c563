#include "engines/zookeeper/line.h"

#include <algorithm>
#include <utility>

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

Result<Granted> LineResource::amend(const Claim& held, const Claim& wanted,
                                    Deadline until) {
  const auto asked = Clock::now();
  const auto found = held_place(held, until);
  if (!found) return found.error();
  Place& place = **found;
  const bool reads = sort_of(place.node) == Sort::read;
  if (kind_ == engine::Kind::shared_mutex && reads && wanted.mode == Mode::exclusive) {
    return Failure(Errc::unsupported, "a reader cannot become a writer");
  }
  Result<void> done;
  if (kind_ == engine::Kind::shared_mutex && !reads && wanted.mode == Mode::shared) {
    done = become_reader(place, content(wanted), until);
  } else if (!wanted.payload.empty()) {
    done = rewrite(place, wanted.payload, until);
  }
  if (!done) return std::move(done).error();
  places().publish(held.ticket, place);
  return granted(wanted, place, asked);
}

// The reader's node has the writer's number, and so keeps its place in line.
Result<void> LineResource::become_reader(Place& place, std::string_view content,
                                         Deadline until) {
  auto handle = backend().link().handle(until);
  if (!handle) return std::move(handle).error();
  const std::string reader = path() + "/" + protection(place.id) +
                             std::string(base_of(Sort::read)) +
                             std::string(order_of(place.node));
  Batch batch(*std::move(handle));
  const auto all = batch.all({
      {Op::What::create, reader, std::string(content), Node::ephemeral},
      {Op::What::remove, place.node},
  });
  if (auto done = batch.wait(until); !done) return done;
  const int code = batch[all].code;
  if (code == ZNONODE) return Errc::not_held;
  if (code != ZOK && code != ZNODEEXISTS)
    return failure_of(code, "change " + place.node);
  place.node = reader;
  place.own.reset();
  return {};
}

Result<void> LineResource::rewrite(const Place& place, std::string_view content,
                                   Deadline until) {
  auto handle = backend().link().handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*std::move(handle));
  const auto set = batch.set(place.node, content, kAnyVersion);
  if (auto done = batch.wait(until); !done) return done;
  const int code = batch[set].code;
  if (code == ZNONODE) return Errc::not_held;
  if (code != ZOK) return failure_of(code, "change " + place.node);
  return {};
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
  std::vector<engine::Place> line;
  for (const Entry& each : *entries) line.push_back({.mode = each.mode});
  for (std::size_t i = 0; i < line.size(); ++i) {
    (*entries)[i].granted = engine::admits(kind_, 0, line, i);
  }
  return entries;
}

}  // namespace holdfast::zookeeper

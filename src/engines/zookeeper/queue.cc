#include "engines/zookeeper/queue.h"

#include <algorithm>
#include <utility>

#include "engines/zookeeper/cell.h"

namespace holdfast::zookeeper {

using engine::Deadline;
using engine::Mode;
using engine::Waker;

Queue::Queue(Backend& backend, std::string directory, engine::Kind kind)
    : backend_(backend), directory_(std::move(directory)), kind_(kind) {}

std::string Queue::path(std::string_view child) const {
  return std::string(directory_).append("/").append(child);
}

// What was heard since the last look is enough to know that the turn has come.
bool Queue::needs_no_look(const Place& place) const noexcept {
  if (place.own != nullptr && !place.own->quiet()) return false;
  if (place.first) return true;
  return place.last_obstacle && place.ahead != nullptr && place.ahead->gone();
}

Result<Queue::Turn> Queue::ask(Place& place, Mode mode, std::string_view content,
                               const Waker& waker, Deadline until, Rider* rider) {
  for (;;) {
    auto handle = backend_.link().handle(until);
    if (!handle) return std::move(handle).error();
    if (place.session != (*handle)->id()) place.start_again((*handle)->id());
    if (needs_no_look(place)) {
      place.first = true;
      if (rider != nullptr) rider->stay();
      return Turn{true};
    }
    std::vector<std::string> children;
    const auto looked = look(place, mode, content, children, until, rider);
    if (!looked.has_value()) return looked.error();
    if (!*looked) continue;
    bool present = false;
    const Obstacle obstacle = find_obstacle(place, mode, children, present);
    if (!present) {  // somebody has removed it
      place.start_again(place.session);
      continue;
    }
    if (obstacle.child.empty()) {
      place.first = true;
      place.ahead.reset();
      return Turn{true};
    }
    if (waker == nullptr) {
      if (auto left = give_up_node(backend_, place, until); !left)
        return std::move(left).error();
      return Turn{false, obstacle.ahead};
    }
    const auto kept = keep_watch(place, obstacle, waker, until);
    if (!kept.has_value()) return kept.error();
    if (*kept) return Turn{false, obstacle.ahead};
  }
}

// False: something was missing, and is there now; look again.
Result<bool> Queue::look(Place& place, Mode mode, std::string_view content,
                         std::vector<std::string>& children, Deadline until,
                         Rider* rider) {
  const Sort sort = sort_for(kind_, mode);
  auto handle = backend_.link().handle(until);
  if (!handle) return std::move(handle).error();
  if ((*handle)->id() != place.session) return false;
  Batch batch(*std::move(handle));
  const bool make = place.node.empty() && !place.uncertain;
  std::size_t made = 0;
  if (make) {
    place.uncertain = true;
    made = batch.create(path(protection(place.id)).append(base_of(sort)), content,
                        Node::ephemeral_sequential);
  }
  if (!make && place.uncertain) batch.sync(directory_);
  const auto listed = batch.children(directory_);
  if (rider != nullptr) rider->board(batch);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  if (rider != nullptr) rider->arrive(batch);

  if (make) {
    place.uncertain = false;
    const Answer& node = batch[made];
    if (node.code == ZNONODE) {
      auto parents = backend_.make_parents(path("child"), until);
      if (!parents) return std::move(parents).error();
      return false;
    }
    if (node.code == ZNOCHILDRENFOREPHEMERALS) {
      return Failure(Errc::wrong_kind, directory_ + " is a claim of something else");
    }
    if (!node.ok()) return failure_of(node.code, "create a node in " + directory_);
    place.node = node.text;
    place.token = static_cast<std::uint64_t>(node.stat.czxid);
  }
  const Answer& list = batch[listed];
  if (list.code == ZNONODE) {
    place.start_again(place.session);
    return false;
  }
  if (!list.ok()) return failure_of(list.code, "list " + directory_);
  if (place.uncertain) return recover(place, sort, list.names, until);
  if (auto good = check(place, list, until); !good) {
    if (auto left = give_up_node(backend_, place, until); !left)
      return std::move(left).error();
    return std::move(good).error();
  }
  children = list.names;
  return true;
}

// A node with our id may be of a session of ours that is over: that one is not ours any
// more.
Result<bool> Queue::recover(Place& place, Sort sort,
                            const std::vector<std::string>& children, Deadline until) {
  const std::string mine = protection(place.id);
  for (const std::string& child : children) {
    if (!child.starts_with(mine) || sort_of(child) != sort) continue;
    auto handle = backend_.link().handle(until);
    if (!handle) return std::move(handle).error();
    Batch batch(*std::move(handle));
    const auto seen = batch.exists(path(child));
    if (auto done = batch.wait(until); !done) return std::move(done).error();
    if (!batch[seen].ok() || batch[seen].stat.ephemeralOwner != place.session) continue;
    place.node = path(child);
    place.token = static_cast<std::uint64_t>(batch[seen].stat.czxid);
    break;
  }
  place.uncertain = false;
  return false;
}

Result<void> Queue::check(const Place& place, const Answer& listed,
                          Deadline until) const {
  bool good = true;
  for (const std::string& child : listed.names) {
    const Sort sort = sort_of(child);
    if (sort == Sort::kazoo) return used_by_kazoo(directory_);
    good = good && belongs(sort, kind_);
  }
  if (good && listed.stat.dataLength != 0) {
    auto handle = backend_.link().handle(until);
    if (!handle) return std::move(handle).error();
    Batch batch(*std::move(handle));
    const auto got = batch.get(directory_);
    if (auto done = batch.wait(until); !done) return done;
    good = !looks_like_a_number(batch[got].text);
  }
  if (!good) return used_by_another_kind(directory_);
  if (is_wrapped(place.node)) {
    return Failure(Errc::full, "the sequence numbers of " + directory_ +
                                   " are used up: delete it while nobody uses it");
  }
  return {};
}

// A writer's place may be taken over by a reader of the same owner, so a writer ahead
// that goes does not mean that the turn has come.
Queue::Obstacle Queue::find_obstacle(const Place& place, Mode mode,
                                     std::vector<std::string>& children,
                                     bool& present) const {
  put_in_order(children);
  const std::string_view own =
      std::string_view(place.node).substr(directory_.size() + 1);
  const auto mine = std::find(children.begin(), children.end(), own);
  present = mine != children.end();
  Obstacle obstacle;
  for (auto each = children.begin(); each != mine; ++each) {
    if (mode == Mode::shared && sort_of(*each) != Sort::write) continue;
    obstacle.child = *each;
    ++obstacle.ahead;
  }
  const bool may_downgrade =
      mode == Mode::exclusive && sort_of(obstacle.child) == Sort::write;
  obstacle.last = obstacle.ahead == 1 && !may_downgrade;
  return obstacle;
}

// False: what was to be watched is gone already.
Result<bool> Queue::keep_watch(Place& place, const Obstacle& obstacle,
                               const Waker& waker, Deadline until) {
  auto handle = backend_.link().handle(until);
  if (!handle) return std::move(handle).error();
  if ((*handle)->id() != place.session) return false;
  const std::string ahead = path(obstacle.child);
  place.ahead = Lookout::make(backend_.ears(), {{ahead}}, waker);
  place.own = Lookout::make(backend_.ears(), {{place.node}}, waker, backend_.alarm());
  place.last_obstacle = obstacle.last;
  Batch batch(*std::move(handle));
  const auto watched = batch.get(ahead, Ears::key(ahead, Change::data));
  const auto own = batch.exists(place.node, Ears::key(place.node, Change::data));
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  if (batch[own].code == ZNONODE) {
    place.start_again(place.session);
    return false;
  }
  for (const auto each : {watched, own}) {
    const int code = batch[each].code;
    if (code != ZOK && code != ZNONODE) return failure_of(code, "watch " + ahead);
  }
  return batch[watched].ok();
}

Result<void> give_up_node(Backend& backend, Place& place, Deadline until) {
  auto handle = backend.link().handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*std::move(handle));
  batch.remove(place.node);
  if (auto done = batch.wait(until); !done) return done;
  place.start_again(place.session);
  return {};
}

}  // namespace holdfast::zookeeper

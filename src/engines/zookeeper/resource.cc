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

std::string_view ZookeeperResource::content(const Claim& claim) const noexcept {
  return claim.payload.empty() ? std::string_view(backend_->payload()) : claim.payload;
}

std::shared_ptr<Place> ZookeeperResource::place_of(const Claim& claim) {
  const auto present = backend_->link().present();
  const std::int64_t session = present != nullptr ? present->id() : 0;
  if (session != 0 && session_.exchange(session) != session) {
    places_.forget_others(session);
  }
  Place fresh;
  fresh.id = backend_->id_of(claim.ticket);
  return places_.find_or_add(claim.ticket, std::move(fresh));
}

Granted ZookeeperResource::granted(const Claim& claim, const Place& place,
                                   Clock::time_point asked) {
  const auto handle = backend_->link().present();
  const bool share = backend_->options().hand_over;
  return {.token = {place.token},
          .tokens = share ? std::max(claim.tokens, 1U) : 1U,
          .lease = handle != nullptr && handle->id() == place.session
                       ? Backend::lease_from(*handle, asked, claim.lease)
                       : engine::Lease::zero(),
          .one_token = share};
}

engine::Verdict ZookeeperResource::grant(const Claim& claim, Place& place,
                                         Clock::time_point asked) {
  place.granted = true;
  places_.publish(claim.ticket, place.standing());
  return granted(claim, place, asked);
}

bool ZookeeperResource::is_held(const Claim& claim, Deadline until) {
  const auto handle = backend_->link().handle(until);
  base::MutexLock lock(granted_);
  const auto place = places_.find(claim.ticket);
  return handle && place != nullptr && place->granted &&
         (*handle)->id() == place->session;
}

// The keeper may drop a claim whose lease is over while a change of it is under way.
// What one session asks is done in the order of asking: a drop that comes behind the
// change removes what the change has made, and after a drop nothing is sent.
Result<Granted> ZookeeperResource::change(const Claim& held, const Claim& wanted,
                                          Deadline until, const Send& send,
                                          const Finish& finish) {
  const auto asked = Clock::now();
  auto handle = backend_->link().handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*handle);
  base::MutexLock lock(granted_);
  const auto place = places_.find(held.ticket);
  if (place == nullptr || !place->granted) return Errc::not_held;
  if ((*handle)->id() != place->session) return Errc::not_held;
  if (auto sent = send(*place, batch); !sent) return std::move(sent).error();
  ++place->amending;
  lock.unlock();
  auto done = batch.wait(until);
  lock.lock();
  --place->amending;
  if (places_.find(held.ticket) != place) return Errc::not_held;
  if (done) done = finish(*place, batch);
  if (!done) return std::move(done).error();
  places_.publish(held.ticket, place->standing());
  return granted(wanted, *place, asked);
}

void ZookeeperResource::lose(engine::Ticket ticket, const Standing& standing) {
  base::MutexLock lock(granted_);
  const auto place = places_.find(ticket);
  if (place == nullptr || place->amending > 0) return;
  if (place->session != standing.under || place->nodes() != standing.nodes) return;
  places_.erase(ticket);
  for (std::string& node : place->possible_nodes()) {
    backend_->link().bury(std::move(node));
  }
}

Result<void> ZookeeperResource::drop(const Claim& claim, Deadline until) {
  base::MutexLock lock(granted_);
  const auto place = places_.find(claim.ticket);
  if (place == nullptr) return Errc::not_held;
  const auto present = backend_->link().present();
  if (present != nullptr && present->id() != 0 && present->id() != place->session) {
    places_.erase(claim.ticket);  // it has ended with its session
    return Errc::not_held;
  }
  std::vector<std::string> nodes = place->possible_nodes();
  const bool uncertain = place->uncertain || place->taking;
  if (!uncertain && until <= Clock::now()) {
    places_.erase(claim.ticket);
    for (std::string& node : nodes) backend_->link().bury(std::move(node));
    return {};
  }
  const std::string id = place->id;
  lock.unlock();
  if (uncertain) {
    auto found = find_nodes(id, until);
    if (!found) return std::move(found).error();
    nodes.insert(nodes.end(), found->begin(), found->end());
  }
  auto removed = remove_nodes(nodes, until);
  if (removed || removed.error().code == Errc::not_held) places_.erase(claim.ticket);
  return removed;
}

// Those whose name begins with this id, or with the protection that has it.
Result<std::vector<std::string>> ZookeeperResource::find_nodes(std::string_view id,
                                                               Deadline until) {
  auto handle = backend_->link().handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*std::move(handle));
  batch.sync(path_);
  const auto places = directories();
  std::vector<std::size_t> listed;
  listed.reserve(places.size());
  for (const std::string& each : places) listed.push_back(batch.children(each));
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  const std::string prefix = protection(id);
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (const std::string& child : batch[listed[i]].names) {
      if (child == id || child.starts_with(prefix)) {
        nodes.push_back(places[i] + "/" + child);
      }
    }
  }
  return nodes;
}

// Errc::not_held: none was there.
Result<void> ZookeeperResource::remove_nodes(const std::vector<std::string>& nodes,
                                             Deadline until) {
  if (nodes.empty()) return Errc::not_held;
  auto handle = backend_->link().handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*std::move(handle));
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

// All nodes of a claim that took several, as a semaphore's do.
Result<void> ZookeeperResource::evict(std::string_view owner, Deadline until) {
  if (owner.empty() || owner.find('/') != std::string_view::npos) return Errc::not_held;
  const std::string_view mine = protection_of(owner);
  std::vector<std::string> nodes;
  if (!mine.empty()) {
    constexpr std::size_t kBefore = 3;  // "_c_", and a dash behind
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

std::vector<Spot> ZookeeperResource::spots() const {
  return {{path_, Change::data}, {path_, Change::children}};
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
    std::shared_ptr<Lookout> lookout;
  };
  auto handle = backend_->link().handle(until);
  if (!handle) return std::move(handle).error();
  auto keep = std::make_shared<Keep>(backend_, watches_);
  keep->lookout = Lookout::make(backend_->ears(), spots(), waker);
  Batch batch(*std::move(handle));
  arm(batch);
  if (auto done = batch.wait_to_read(until); !done) return std::move(done).error();
  return engine::Watch{std::move(keep), kLookAgain};
}

Result<std::vector<std::string>> ZookeeperResource::list(Deadline until) {
  auto handle = backend_->link().handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*std::move(handle));
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
  for (const Spot& spot : spots()) {
    if (spot.change == Change::data) {
      batch.exists(spot.path, Ears::key(spot));
    } else {
      batch.children(spot.path, Ears::key(spot));
    }
  }
}

}  // namespace holdfast::zookeeper

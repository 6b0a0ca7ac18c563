#include "engines/zookeeper/place.h"

namespace holdfast::zookeeper {

using engine::Ticket;

std::shared_ptr<Lookout> Lookout::make(Ears& ears, std::vector<Spot> spots,
                                       engine::Waker first, engine::Waker second) {
  std::shared_ptr<Lookout> made(new Lookout(std::move(first), std::move(second)));
  for (Spot& spot : spots) {
    made->ears_.push_back(std::make_unique<Ears::Ear>(ears, std::move(spot), made));
  }
  return made;
}

void Lookout::ring() const noexcept {
  if (first_ != nullptr) first_->ring();
  if (second_ != nullptr) second_->ring();
}

void Lookout::heard(bool gone) noexcept {
  if (gone) gone_.store(true);
  stirred_.store(true);
  ring();
}

void Lookout::missed() noexcept {
  stirred_.store(true);
  ring();
}

void Place::start_again(std::int64_t in_session) {
  Place fresh;
  fresh.id = std::move(id);
  fresh.session = in_session;
  *this = std::move(fresh);
}

std::vector<std::string> Place::nodes() const {
  std::vector<std::string> all = leases;
  if (!node.empty()) all.push_back(node);
  return all;
}

std::shared_ptr<Place> Places::find(Ticket ticket) const {
  base::MutexLock lock(mutex_);
  const auto found = rows_.find(ticket);
  return found != rows_.end() ? found->second.place : nullptr;
}

std::shared_ptr<Place> Places::find_or_add(Ticket ticket, std::string id) {
  base::MutexLock lock(mutex_);
  Row& row = rows_[ticket];
  if (row.place == nullptr) {
    row.place = std::make_shared<Place>();
    row.place->id = std::move(id);
  }
  return row.place;
}

void Places::erase(Ticket ticket) noexcept {
  Row last;  // destroyed without the mutex
  base::MutexLock lock(mutex_);
  const auto found = rows_.find(ticket);
  if (found == rows_.end()) return;
  last = std::move(found->second);
  rows_.erase(found);
}

void Places::forget_others(std::int64_t session) {
  base::MutexLock lock(mutex_);
  std::erase_if(rows_, [&](const auto& each) {
    const auto& standing = each.second.standing;
    return standing && standing->session != session;
  });
}

void Places::publish(Ticket ticket, const Place& place) {
  base::MutexLock lock(mutex_);
  rows_[ticket].standing = Standing{place.session, place.nodes(), place.own};
}

std::optional<Standing> Places::standing(Ticket ticket) const {
  base::MutexLock lock(mutex_);
  const auto found = rows_.find(ticket);
  return found != rows_.end() ? found->second.standing : std::nullopt;
}

void Places::watched(Ticket ticket, std::shared_ptr<Lookout> own) {
  base::MutexLock lock(mutex_);
  const auto found = rows_.find(ticket);
  if (found == rows_.end() || !found->second.standing) return;
  found->second.standing->own.swap(own);
}

}  // namespace holdfast::zookeeper

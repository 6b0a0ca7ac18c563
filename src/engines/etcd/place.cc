#include "engines/etcd/place.h"

#include <utility>

namespace holdfast::etcd {

using engine::Ticket;

void Place::start_again(std::int64_t under_lease) {
  *this = Place{};
  lease = under_lease;
}

std::shared_ptr<Place> Places::find(Ticket ticket) const {
  base::MutexLock lock(mutex_);
  const auto found = rows_.find(ticket);
  return found != rows_.end() ? found->second.place : nullptr;
}

std::shared_ptr<Place> Places::find_or_add(Ticket ticket) {
  base::MutexLock lock(mutex_);
  Row& row = rows_[ticket];
  if (row.place == nullptr) row.place = std::make_shared<Place>();
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

void Places::forget_others(std::int64_t lease) {
  base::MutexLock lock(mutex_);
  std::erase_if(rows_, [&](const auto& each) {
    const auto& standing = each.second.standing;
    return standing && standing->lease != lease;
  });
}

void Places::publish(Ticket ticket, const Place& place) {
  base::MutexLock lock(mutex_);
  rows_[ticket].standing = Standing{place.lease, place.key, place.revision, place.own};
}

std::optional<Standing> Places::standing(Ticket ticket) const {
  base::MutexLock lock(mutex_);
  const auto found = rows_.find(ticket);
  return found != rows_.end() ? found->second.standing : std::nullopt;
}

void Places::listened_to(Ticket ticket, std::shared_ptr<Ear> own) {
  base::MutexLock lock(mutex_);
  const auto found = rows_.find(ticket);
  if (found == rows_.end() || !found->second.standing) return;
  found->second.standing->own.swap(own);
}

}  // namespace holdfast::etcd

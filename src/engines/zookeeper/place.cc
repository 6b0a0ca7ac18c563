#include "engines/zookeeper/place.h"

namespace holdfast::zookeeper {

std::shared_ptr<WatchSet> WatchSet::make(WatchRegistry& watches,
                                         std::vector<WatchTarget> targets,
                                         engine::Waker first, engine::Waker second) {
  std::shared_ptr<WatchSet> made(new WatchSet(std::move(first), std::move(second)));
  for (WatchTarget& target : targets) {
    made->handles_.push_back(
        std::make_unique<WatchHandle>(watches, std::move(target), made));
  }
  return made;
}

void WatchSet::ring() const noexcept {
  if (first_ != nullptr) first_->ring();
  if (second_ != nullptr) second_->ring();
}

void WatchSet::on_event(bool gone) noexcept {
  if (gone) gone_.store(true);
  fired_.store(true);
  ring();
}

void WatchSet::on_missed() noexcept {
  fired_.store(true);
  ring();
}

void ClaimState::start_again(std::int64_t in_session) {
  ClaimState fresh;
  fresh.id = std::move(id);
  fresh.session = in_session;
  *this = std::move(fresh);
}

std::vector<std::string> ClaimState::nodes() const {
  std::vector<std::string> all = leases;
  if (!node.empty()) all.push_back(node);
  return all;
}

std::vector<std::string> ClaimState::possible_nodes() const {
  std::vector<std::string> all = nodes();
  if (!next_node.empty()) all.push_back(next_node);
  return all;
}

}  // namespace holdfast::zookeeper

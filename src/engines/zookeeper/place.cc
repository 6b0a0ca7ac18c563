#include "engines/zookeeper/place.h"

namespace holdfast::zookeeper {

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

std::vector<std::string> Place::possible_nodes() const {
  std::vector<std::string> all = nodes();
  if (!next_node.empty()) all.push_back(next_node);
  return all;
}

}  // namespace holdfast::zookeeper

#include "engines/quorum/node_resource.h"

#include <utility>

namespace holdfast::quorum {

Result<engine::Resource*> NodeResource::at(std::size_t node, engine::Session& session) {
  auto& resource = resources_[node];
  if (resource == nullptr) {
    auto bound = session.bind(address_);
    if (!bound) return std::move(bound).error();
    resource = *std::move(bound);
  }
  return resource.get();
}

}  // namespace holdfast::quorum

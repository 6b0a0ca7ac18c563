#include "engines/quorum/resource.h"

#include <utility>

namespace holdfast::quorum {

bool is_supported(engine::Kind kind) noexcept {
  return kind == engine::Kind::mutex || kind == engine::Kind::election ||
         kind == engine::Kind::shared_mutex;
}

QuorumResource::QuorumResource(std::shared_ptr<Backend> backend,
                               const engine::Address& address)
    : backend_(std::move(backend)),
      resource_(std::make_shared<NodeResource>(address, backend_->nodes().size())) {}

}  // namespace holdfast::quorum

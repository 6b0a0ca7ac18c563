#include "engines/zookeeper/session.h"

#include <utility>

#include "base/thread_signal.h"
#include "engines/zookeeper/kinds.h"
#include "engines/zookeeper/listing.h"
#include "engines/zookeeper/renewal.h"

namespace holdfast::zookeeper {

ZookeeperSession::ZookeeperSession(std::shared_ptr<Backend> backend) noexcept
    : backend_(std::move(backend)) {}

engine::Traits ZookeeperSession::traits(engine::Kind kind) const noexcept {
  engine::Traits traits = traits_of(kind);
  traits.survives = backend_->options().hosts.size() > 1;
  return traits;
}

Result<std::shared_ptr<engine::Resource>> ZookeeperSession::bind(
    const engine::Address& address) {
  return make_resource(backend_, address);
}

Result<void> ZookeeperSession::renew(std::span<engine::ClaimRef> refs,
                                     engine::Deadline until) {
  return renew_all(*backend_, refs, until);
}

Result<engine::Page> ZookeeperSession::list(std::string_view prefix,
                                            std::string_view from,
                                            engine::Deadline until) {
  return list_names(*backend_, prefix, from, until);
}

std::vector<std::string> ZookeeperSession::warnings() const {
  return backend_->warnings();
}

engine::Waker ZookeeperSession::signal() {
  return std::make_shared<base::ThreadSignal>();
}

}  // namespace holdfast::zookeeper

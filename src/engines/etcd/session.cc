#include "engines/etcd/session.h"

#include <utility>

#include "base/thread_signal.h"
#include "engines/etcd/kinds.h"
#include "engines/etcd/listing.h"
#include "engines/etcd/renewal.h"

namespace holdfast::etcd {

EtcdSession::EtcdSession(std::shared_ptr<Backend> backend) noexcept
    : backend_(std::move(backend)) {}

engine::Traits EtcdSession::traits(engine::Kind kind) const noexcept {
  engine::Traits traits = traits_of(kind);
  traits.survives = backend_->options().hosts.size() > 1;
  return traits;
}

Result<std::shared_ptr<engine::Resource>> EtcdSession::bind(
    const engine::Address& address) {
  return make_resource(backend_, address);
}

Result<void> EtcdSession::renew(std::span<engine::ClaimRef> refs,
                                engine::Deadline until) {
  return renew_all(*backend_, refs, until);
}

Result<engine::Page> EtcdSession::list(std::string_view prefix, std::string_view from,
                                       engine::Deadline until) {
  return list_names(*backend_, prefix, from, until);
}

std::vector<std::string> EtcdSession::warnings() const { return backend_->warnings(); }

engine::Waker EtcdSession::signal() { return std::make_shared<base::ThreadSignal>(); }

}  // namespace holdfast::etcd

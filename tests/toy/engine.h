// SPDX-License-Identifier: Apache-2.0
// tests/toy/engine.h - an engine in one process, written by the guide "A new engine" in
// docs/architecture.md. This is step 4: the waist's three classes, which hand on what
// the machine, the loop and the server do. The session is the kit's.

#pragma once

#include "base/fencing.h"
#include "engines/kit/session.h"
#include "toy/store.h"

namespace holdfast::toy {

class ToyResource final : public Resource {
 public:
  ToyResource(std::shared_ptr<Backend> backend, const Address& address)
      : backend_(std::move(backend)), store_(*backend_, address) {}

  Result<Verdict> attempt(const Claim& claim, const Waker& waker, Deadline d) override {
    return machine_.attempt(claim, waker, d);
  }
  Result<Granted> amend(const Claim& held, const Claim& wanted, Deadline d) override {
    return machine_.amend(held, wanted, d);
  }
  Result<void> drop(const Claim& c, Deadline d) override { return machine_.drop(c, d); }
  Result<Value> load(Deadline) override {
    return store_.read().transform([&](const auto& d) { return store_.value_of(d); });
  }
  Result<Value> add(std::int64_t by, Ticket ticket, Deadline d) override {
    return kit::RegisterLoop(store_).add(by, ticket, d);
  }
  Result<Exchanged> exchange(const Value& from, std::optional<std::int64_t> to,
                             Ticket ticket, Deadline d) override {
    return kit::RegisterLoop(store_).exchange(from, to, ticket, d);
  }
  Result<Watch> watch(const Waker& waker, Deadline) override {
    return Watch{backend_->server->watch(store_.name(), waker), kLookAgain};
  }
  Result<std::vector<Entry>> survey(std::size_t limit, Deadline) override {
    auto document = store_.read();
    if (!document) return document.error();
    document->queue.resize(std::min(limit, document->queue.size()));
    return document->queue;
  }
  Result<void> evict(std::string_view owner, Deadline d) override {
    return store_.evict(std::string(owner), d);
  }
  // Sessions do not end by time here: what is there has been extended.
  void renew(ClaimRef& ref) {
    auto document = store_.read();
    ref.granted = store_.granted({}, *ref.claim, {});
    ref.outcome = document ? std::error_code() : document.error().code;
    const std::string own = store_.owner_of(ref.claim->ticket);
    const bool gone = document && document->find(own) == document->queue.end();
    if (gone) ref.outcome = make_error_code(Errc::not_held);
  }

 private:
  const std::shared_ptr<Backend> backend_;
  Store store_;
  kit::ClaimMachine<Store> machine_{store_};
};

inline Traits traits_of(const Backend&, Kind kind) noexcept {
  Traits traits;
  traits.supported = traits.orders = traits.notifies = true;
  traits.versions = traits.downgrades = traits.session_bound = true;
  traits.fences = base::can_fence(kind);
  traits.many_hosts = false;
  return traits;
}
inline Result<std::shared_ptr<Resource>> make_resource(
    const std::shared_ptr<Backend>& backend, const Address& address) {
  return std::shared_ptr<Resource>(std::make_shared<ToyResource>(backend, address));
}
inline Result<void> renew_all(Backend&, std::span<ClaimRef> refs, Deadline) {
  for (ClaimRef& ref : refs) static_cast<ToyResource*>(ref.resource)->renew(ref);
  return {};
}
inline Result<Page> list_names(Backend& backend, std::string_view prefix,
                               std::string_view, Deadline) {
  return backend.server->list(prefix);
}
using ToySession = kit::Session<Backend>;

class ToyEngine final : public Engine {
 public:
  explicit ToyEngine(std::shared_ptr<Server> server) : server_(std::move(server)) {}
  std::string_view scheme() const noexcept override { return "toy"; }
  Result<std::unique_ptr<Session>> open(const SessionOptions& options) override {
    if (server_->unreachable) return Errc::unavailable;
    std::shared_ptr<Backend> backend(new Backend{server_, options});
    return std::unique_ptr<Session>(std::make_unique<ToySession>(std::move(backend)));
  }

 private:
  const std::shared_ptr<Server> server_;
};

}  // namespace holdfast::toy

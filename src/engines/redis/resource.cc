#include "engines/redis/resource.h"

#include <utility>

#include "base/common_failures.h"

namespace holdfast::redis {

RedisResource::RedisResource(std::shared_ptr<Backend> backend,
                             const engine::Address& address)
    : backend_(std::move(backend)),
      layout_(layout_of(address.kind, backend_->options())),
      name_(std::make_unique<char[]>(address.name.size())),
      name_size_(static_cast<std::uint16_t>(address.name.size())) {
  address.name.copy(name_.get(), name_size_);
}

Invocation RedisResource::call(const Verb& verb, std::string_view owner) const {
  Invocation call(*verb.script);
  for (const Part part : verb.keys) key_names().add_key(call, part, owner);
  return call;
}

void RedisResource::add_args(Invocation& call, const Verb& verb,
                             const engine::Claim& claim) const {
  for (const Arg arg : verb.args) {
    switch (arg) {
      case Arg::mode:
        call.arg(claim.mode == engine::Mode::shared ? "r" : "w");
        break;
      case Arg::permits:
        call.arg(claim.permits);
        break;
      case Arg::capacity:
        call.arg(claim.capacity);
        break;
      case Arg::fair_wait:
        call.arg(backend_->options().fair_wait.count());
        break;
      case Arg::record_prefix:
        call.arg(key_names().record_prefix());
        break;
      case Arg::timeout_prefix:
        call.arg(key_names().timeout_prefix());
        break;
    }
  }
}

Failure RedisResource::explain(Failure why) const {
  if (why.code != Errc::wrong_kind) return why;
  return base::used_by_another_kind(base::in_quotes(name()));
}

Result<Reply> RedisResource::run(const Invocation& call, engine::Deadline until) {
  auto reply = backend_->run(call, until);
  if (!reply) return explain(std::move(reply).error());
  return reply;
}

std::string RedisResource::details_of(const engine::Claim& claim) const {
  std::string details = std::to_string(claim.permits);
  details += claim.mode == engine::Mode::shared ? "|r|" : "|w|";
  return details.append(claim.payload.empty() ? backend_->payload() : claim.payload);
}

engine::Lease RedisResource::lease_of(const engine::Claim& claim) const noexcept {
  if (!layout_.traits.leased) return engine::kNoLease;
  return std::chrono::milliseconds(backend_->lease_ms(claim.lease));
}

void RedisResource::add_renewal(Invocation& batch, const engine::Claim& claim) const {
  const std::string owner = backend_->owner(claim.ticket);
  for (const Part part : layout_.renew.keys) key_names().add_key(batch, part, owner);
}

}  // namespace holdfast::redis

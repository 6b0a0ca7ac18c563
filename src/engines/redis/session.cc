// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/session.h"

#include <utility>

#include "engines/redis/layout.h"
#include "engines/redis/listing.h"
#include "engines/redis/renewal.h"
#include "engines/redis/resource.h"
#include "holdfast/names.h"

namespace holdfast::redis {

RedisSession::RedisSession(std::shared_ptr<Backend> backend) noexcept
    : backend_(std::move(backend)) {}

engine::Traits RedisSession::traits(engine::Kind kind) const noexcept {
  engine::Traits traits = layout_of(kind, backend_->options()).traits;
  traits.sends_ahead = true;
  return traits;
}

Result<std::shared_ptr<engine::Resource>> RedisSession::bind(
    const engine::Address& address) {
  if (auto good = check_name(address.name); !good) return std::move(good).error();
  return std::shared_ptr<engine::Resource>(
      std::make_shared<RedisResource>(backend_, address));
}

Result<void> RedisSession::renew(std::span<engine::ClaimRef> refs,
                                 engine::Deadline until) {
  return renew_all(*backend_, refs, until);
}

Result<engine::Page> RedisSession::list(std::string_view prefix, std::string_view from,
                                        engine::Deadline until) {
  return list_names(*backend_, prefix, from, until);
}

std::vector<std::string> RedisSession::warnings() const {
  return redis::warnings(backend_->server_info(), backend_->options().acks);
}

}  // namespace holdfast::redis

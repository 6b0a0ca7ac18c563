// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/session.h"

#include "base/common_failures.h"
#include "base/fencing.h"
#include "engines/mysql/lock.h"
#include "engines/mysql/plain_lock.h"
#include "engines/mysql/queue.h"

namespace holdfast::mysql {

using engine::Kind;

namespace {

constexpr std::size_t kLongestPlainName = 64;  // of a lock of GET_LOCK, in bytes

}  // namespace

engine::Traits traits_of(const Backend& backend, Kind kind) noexcept {
  if (!backend.has_tables())
    return {.supported = kind == Kind::mutex, .notifies = true};
  const bool is_claim = kind <= Kind::double_barrier;
  const bool has_bell =
      is_claim && kind != Kind::semaphore && kind != Kind::double_barrier;
  return {.supported = true,
          .fences = base::can_fence(kind),
          .orders = is_claim && kind != Kind::mutex,
          .notifies = has_bell && backend.has_bells(),
          .versions = true,
          .downgrades = true,
          .leased = is_claim,
          .process_queue = kind == Kind::mutex || kind == Kind::election};
}

Result<std::shared_ptr<engine::Resource>> make_resource(
    const std::shared_ptr<Backend>& backend, const engine::Address& address) {
  using Made = std::shared_ptr<engine::Resource>;
  if (!backend->has_tables()) {
    if (address.kind != Kind::mutex) return Errc::unsupported;
    if (address.name.size() > kLongestPlainName) {
      return Failure(Errc::bad_name,
                     base::in_quotes(address.name) +
                         " is too long: a name for GET_LOCK has at most 64 bytes");
    }
    return Made(std::make_shared<PlainLockResource>(backend, address));
  }
  if (address.kind == Kind::mutex) {
    return Made(std::make_shared<LockResource>(backend, address));
  }
  if (address.kind <= Kind::double_barrier) {
    return Made(std::make_shared<QueueResource>(backend, address));
  }
  return Made(std::make_shared<MysqlResource>(backend, address));
}

}  // namespace holdfast::mysql

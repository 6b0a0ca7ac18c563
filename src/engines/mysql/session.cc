// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/session.h"

#include "base/common_failures.h"
#include "base/fencing.h"
#include "engines/mysql/listing.h"
#include "engines/mysql/lock.h"
#include "engines/mysql/plain_lock.h"
#include "engines/mysql/queue.h"
#include "holdfast/names.h"

namespace holdfast::mysql {

using engine::Kind;

namespace {

constexpr std::size_t kLongestPlainName = 64;  // of a lock of GET_LOCK, in bytes

}  // namespace

engine::Traits MysqlSession::traits(Kind kind) const noexcept {
  if (!has_tables()) return {.supported = kind == Kind::mutex, .notifies = true};
  const bool is_claim = kind <= Kind::double_barrier;
  const bool has_bell =
      is_claim && kind != Kind::semaphore && kind != Kind::double_barrier;
  return {.supported = true,
          .fences = base::can_fence(kind),
          .orders = is_claim && kind != Kind::mutex,
          .notifies = has_bell && backend_->has_bells(),
          .versions = true,
          .downgrades = true,
          .leased = is_claim,
          .process_queue = kind == Kind::mutex || kind == Kind::election};
}

Result<std::shared_ptr<engine::Resource>> MysqlSession::bind(
    const engine::Address& address) {
  using Made = std::shared_ptr<engine::Resource>;
  if (auto good = check_name(address.name); !good) return std::move(good).error();
  if (!has_tables()) {
    if (address.kind != Kind::mutex) return Errc::unsupported;
    if (address.name.size() > kLongestPlainName) {
      return Failure(Errc::bad_name,
                     base::in_quotes(address.name) +
                         " is too long: a name for GET_LOCK has at most 64 bytes");
    }
    return Made(std::make_shared<PlainLockResource>(backend_, address));
  }
  if (address.kind == Kind::mutex) {
    return Made(std::make_shared<LockResource>(backend_, address));
  }
  if (address.kind <= Kind::double_barrier) {
    return Made(std::make_shared<QueueResource>(backend_, address));
  }
  return Made(std::make_shared<MysqlResource>(backend_, address));
}

Result<void> MysqlSession::renew(std::span<engine::ClaimRef> refs,
                                 engine::Deadline until) {
  renewal_.renew_all(refs, until);
  return {};
}

Result<engine::Page> MysqlSession::list(std::string_view prefix, std::string_view from,
                                        engine::Deadline until) {
  if (!has_tables()) return engine::Page{};
  return mysql::list(*backend_, prefix, from, until);
}

Result<std::uint64_t> MysqlSession::sweep(std::chrono::seconds unused_for,
                                          engine::Deadline until) {
  if (!has_tables()) return 0;
  return mysql::sweep(*backend_, unused_for, until);
}

std::vector<std::string> MysqlSession::warnings() const { return backend_->warnings(); }

}  // namespace holdfast::mysql

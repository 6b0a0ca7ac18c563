// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/resource.h"

#include <utility>

#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

using engine::Claim;
using engine::Deadline;
using namespace std::chrono_literals;

namespace {

constexpr auto kReadAgain = 5s;

}  // namespace

MysqlResource::MysqlResource(std::shared_ptr<Backend> backend,
                             const engine::Address& address)
    : backend_(std::move(backend)),
      row_(*backend_, address.name, address.kind),
      number_(*backend_, row_) {}

Backend& MysqlResource::backend() const noexcept { return *backend_; }

NameRow& MysqlResource::row() noexcept { return row_; }

const NameRow& MysqlResource::row() const noexcept { return row_; }

Result<engine::Watch> MysqlResource::watch(const engine::Waker& waker, Deadline until) {
  struct ActiveWatch {
    std::shared_ptr<Backend> backend;
    std::shared_ptr<const Poller::Watch> watch;
  };
  auto watched = backend_->poller().watch(row_.name(), waker, until);
  if (!watched) return std::move(watched).error();
  auto active =
      std::make_shared<ActiveWatch>(ActiveWatch{backend_, *std::move(watched)});
  return engine::Watch{std::move(active), kReadAgain};
}

HolderColumns MysqlResource::holder_of(const Claim& claim) const {
  return claim.payload.empty() ? backend_->holder() : HolderColumns::of(claim.payload);
}

Result<void> MysqlResource::end_claim(std::string_view owner, Deadline until) {
  const bool in_row = row_.kind() == engine::Kind::mutex;
  auto evicted = backend_->run(in_row ? sql::kEvict : sql::kEvictClaim,
                               Args(row_.name(), owner), until);
  if (!evicted) return std::move(evicted).error();
  if (evicted->matched == 0) return Errc::not_held;
  return {};
}

}  // namespace holdfast::mysql

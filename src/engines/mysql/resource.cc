// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/resource.h"

#include <utility>

#include "engines/mysql/transport/sql.h"
#include "holdfast/holder.h"

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

Register& MysqlResource::number() noexcept { return number_; }

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

// The row of every claim names its thread, but the payload shows the thread only
// together with a `LockReason`.
std::string MysqlResource::payload_in(const Row& row) {
  Holder holder;
  holder.text = row[1].text;
  holder.function = row[9].text;
  holder.description = row[10].text;
  const bool said = !holder.function.empty() || !holder.description.empty();
  if (said) holder.thread = row[8].text;
  return write_holder(holder);
}

HolderColumns MysqlResource::holder_of(const Claim& claim) const {
  return claim.payload.empty() ? backend_->holder() : HolderColumns::of(claim.payload);
}

Result<std::vector<engine::Entry>> MysqlResource::read_claims(std::size_t limit,
                                                              Deadline until) {
  const bool in_row = row_.kind() == engine::Kind::mutex;
  Args args(row_.name());
  if (in_row) {
    args << row_.name();
  } else {
    args << number_of(row_.kind());
  }
  args << static_cast<std::uint64_t>(limit);
  auto answer = backend_->run(in_row ? sql::kHolder : sql::kClaims, args, until);
  if (!answer) return std::move(answer).error();
  std::vector<engine::Entry> entries;
  for (const Row& row : answer->rows) {
    engine::Entry& entry = entries.emplace_back();
    entry.owner = row[0].text;
    entry.payload = payload_in(row);
    entry.mode = row[2].number == 2 ? engine::Mode::shared : engine::Mode::exclusive;
    entry.permits = static_cast<std::uint32_t>(row[3].number);
    entry.granted = row[4].number != 0;
    entry.token = {row[5].count()};
    if (!row[6].null) {
      entry.since = std::chrono::system_clock::time_point(row[6].span());
    }
    entry.left = row[7].span();
  }
  return entries;
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

#include "engines/mysql/session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/thread_signal.h"
#include "base/time_left.h"
#include "base/transient.h"
#include "engines/mysql/kinds.h"
#include "engines/mysql/resource.h"
#include "engines/mysql/sweep.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {
namespace {

constexpr std::uint64_t kPage = 100;
constexpr std::size_t kMostSlow = 1000;

engine::Deadline half_way_to(engine::Deadline until) {
  return until - base::time_left(until, Clock::duration::max()) / 2;
}

}  // namespace

MysqlSession::MysqlSession(std::shared_ptr<Backend> backend) noexcept
    : backend_(std::move(backend)) {}

engine::Traits MysqlSession::traits(engine::Kind kind) const noexcept {
  return traits_of(*backend_, kind);
}

Result<std::shared_ptr<engine::Resource>> MysqlSession::bind(
    const engine::Address& address) {
  return make_resource(backend_, address);
}

bool MysqlSession::was_slow(const engine::ClaimRef* ref) const {
  base::MutexLock lock(mutex_);
  return slow_.contains(ref->claim->ticket);
}

void MysqlSession::note(const engine::ClaimRef& ref, bool slow) {
  base::MutexLock lock(mutex_);
  if (!slow) {
    slow_.erase(ref.claim->ticket);
    return;
  }
  if (slow_.size() >= kMostSlow) slow_.clear();  // most of them are long gone
  slow_.insert(ref.claim->ticket);
}

void MysqlSession::renew_one(engine::ClaimRef& ref, engine::Deadline until) {
  const auto asked = Clock::now();
  const auto renewed =
      static_cast<MysqlResource*>(ref.resource)->renew(*ref.claim, until);
  ref.outcome = renewed ? std::error_code{} : renewed.error().code;
  ref.granted.lease = backend_->lease_of(*ref.claim) - (Clock::now() - asked);
  note(ref, !renewed && base::is_transient(renewed.error()));
}

// One statement each, on the connection that has the claim's bell: so that lives, too.
// A row that another client has locked, or a connection that says nothing, must not
// cost the other claims their time. So each is tried once and has half of the time that
// is left, and those that could not be renewed the last time come last. Where the lock
// is the connection's own, that is not given up before the time is over.
Result<void> MysqlSession::renew(std::span<engine::ClaimRef> refs,
                                 engine::Deadline until) {
  std::vector<engine::ClaimRef*> due;
  due.reserve(refs.size());
  for (engine::ClaimRef& ref : refs) due.push_back(&ref);
  std::stable_partition(due.begin(), due.end(), [this](const engine::ClaimRef* each) {
    return !was_slow(each);
  });
  const bool shares = backend_->options().mode != Way::getlock;
  for (engine::ClaimRef* each : due) {
    const bool last = each == due.back();
    renew_one(*each, shares && !last ? half_way_to(until) : until);
  }
  return {};
}

Result<engine::Page> MysqlSession::list(std::string_view prefix, std::string_view from,
                                        engine::Deadline until) {
  engine::Page page;
  if (backend_->options().mode == Way::getlock) return page;
  Args args;
  args << from << prefix << static_cast<std::uint64_t>(prefix.size()) << prefix
       << kPage + 1;
  auto answer = backend_->run(sql::kList, args, until);
  if (!answer) return std::move(answer).error();
  for (Row& row : answer->rows) {
    if (page.addresses.size() == kPage) {
      page.next = page.addresses.back().name;
      break;
    }
    page.addresses.push_back(
        {static_cast<engine::Kind>(row[1].number - 1), std::move(row[0].text)});
  }
  return page;
}

Result<std::uint64_t> MysqlSession::sweep(std::chrono::seconds unused_for,
                                          engine::Deadline until) {
  if (backend_->options().mode == Way::getlock) return 0;
  return mysql::sweep(*backend_, unused_for, until);
}

std::vector<std::string> MysqlSession::warnings() const { return backend_->warnings(); }

engine::Waker MysqlSession::signal() { return std::make_shared<base::ThreadSignal>(); }

}  // namespace holdfast::mysql

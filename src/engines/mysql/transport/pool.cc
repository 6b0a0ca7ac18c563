// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/transport/pool.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/common_failures.h"
#include "base/time_left.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {
namespace {

using namespace std::chrono_literals;

// The server has nothing to wait for when it releases a bell.
constexpr auto kReleaseTime = 500ms;

// A connection on which a bell stays is cut, so that its waiters do not sleep on.
void release(Connection& connection, const std::string& bell) noexcept {
  try {
    const auto released =
        connection.run(sql::kReleaseBell, Args(bell), Clock::now() + kReleaseTime);
    if (!released) connection.cut();
  } catch (const std::exception&) {  // There is no memory.
    connection.cut();
  }
  --connection.bells;
}

}  // namespace

Failure Pool::late() const {
  return {Errc::unavailable, std::to_string(kCalls) +
                                 " other calls used the connections to MySQL at " +
                                 options_.spelt() +
                                 " until the deadline: use fewer threads, or wait "
                                 "longer"};
}

Result<Pool::Lent> Pool::lend(engine::Deadline until) {
  return lend_one(Use::call, until);
}

Result<Pool::Lent> Pool::lend_to_block(engine::Deadline until) {
  return lend_one(Use::block, until);
}

Result<Pool::Lent> Pool::lend_to_renew(engine::Deadline until) {
  return lend_one(Use::renewal, until);
}

bool Pool::wait(base::MutexLock& lock, engine::Deadline until) {
  const auto left = base::time_left(until);
  if (left == Clock::duration::zero()) return false;
  ++waiting_;
  changed_.wait_for(lock, left);
  --waiting_;
  return true;
}

Result<Pool::Lent> Pool::lend_one(Use use, engine::Deadline until) {
  const bool call = use == Use::call;
  {
    base::MutexLock lock(mutex_);
    while (call && calls_ >= kCalls && !closed_) {
      if (!wait(lock, until)) return late();
    }
    if (closed_) return base::session_closed("MySQL at " + options_.spelt());
    if (call) ++calls_;
    if (auto idle = take_idle(use == Use::block)) {
      return Lent(*this, std::move(idle), use);
    }
  }
  auto opened = Connection::open(options_, idle_, until);
  base::MutexLock lock(mutex_);
  if (!opened || closed_) {
    if (call) --calls_;
    if (waiting_ > 0) changed_.notify_all();
    if (!opened) return std::move(opened).error();
    return base::session_closed("MySQL at " + options_.spelt());
  }
  entries_.push_back({*opened, true});
  return Lent(*this, *std::move(opened), use);
}

// Connections that the server has ended are cut and forgotten on the way.
std::shared_ptr<Connection> Pool::take_idle(bool without_bells) {
  std::erase_if(entries_, [](const Entry& each) {
    return !each.busy && each.connection->is_cut();
  });
  for (auto each = entries_.rbegin(); each != entries_.rend(); ++each) {
    if (each->busy || (without_bells && each->connection->bells > 0)) continue;
    if (each->connection->is_stale()) {
      each->connection->cut();
      continue;
    }
    each->busy = true;
    return each->connection;
  }
  return nullptr;
}

Result<Pool::Lent> Pool::lend(const std::shared_ptr<Connection>& wanted,
                              engine::Deadline until) {
  base::MutexLock lock(mutex_);
  for (;;) {
    if (closed_) return base::session_closed("MySQL at " + options_.spelt());
    const auto found = std::ranges::find(entries_, wanted, &Entry::connection);
    if (found == entries_.end() || wanted->is_cut()) {
      return base::connection_lost("MySQL at " + options_.spelt(), Errc::unavailable);
    }
    if (!found->busy) {
      if (wanted->is_stale()) {
        wanted->cut();
        continue;
      }
      found->busy = true;
      ++calls_;
      return Lent(*this, wanted, Use::call);
    }
    if (!wait(lock, until)) {
      return Failure(Errc::unavailable,
                     "another call used the connection to MySQL at " +
                         options_.spelt() + " until the deadline: wait longer");
    }
  }
}

void Pool::release_bell(const std::shared_ptr<Connection>& connection,
                        std::string bell) noexcept {
  {
    base::MutexLock lock(mutex_);
    const auto found = std::ranges::find(entries_, connection, &Entry::connection);
    if (found == entries_.end() || connection->is_cut()) return;
    try {
      found->left.push_back(std::move(bell));
    } catch (const std::exception&) {  // There is no memory.
      connection->cut();
    }
    if (std::exchange(found->busy, true)) return;
  }
  give_back(connection, Use::renewal);
}

// More of them may be left meanwhile.
void Pool::release_left(const std::shared_ptr<Connection>& connection) noexcept {
  for (;;) {
    const auto found = std::ranges::find(entries_, connection, &Entry::connection);
    if (found == entries_.end() || found->left.empty()) return;
    const auto left = std::exchange(found->left, {});
    const base::MutexUnlock unlock(mutex_);
    for (const std::string& bell : left) release(*connection, bell);
  }
}

void Pool::give_back(const std::shared_ptr<Connection>& connection, Use use) noexcept {
  std::vector<std::shared_ptr<Connection>>
      last;  // They are closed after the mutex is released.
  base::MutexLock lock(mutex_);
  release_left(connection);
  if (use == Use::call) --calls_;
  const auto found = std::ranges::find(entries_, connection, &Entry::connection);
  if (found != entries_.end()) {
    found->busy = false;
    std::rotate(found, found + 1, entries_.end());
  }
  std::erase_if(entries_, [&](const Entry& each) {
    if (each.busy || !each.connection->is_over()) return false;
    last.push_back(each.connection);
    return true;
  });
  if (waiting_ > 0) changed_.notify_all();
}

void Pool::close() noexcept {
  base::MutexLock lock(mutex_);
  closed_ = true;
  for (const Entry& each : entries_) {
    if (each.busy) each.connection->cut();
  }
  changed_.notify_all();
}

Pool::Lent::Lent(Pool& pool, std::shared_ptr<Connection> connection, Use use) noexcept
    : pool_(&pool), connection_(std::move(connection)), use_(use) {}

Pool::Lent::Lent(Lent&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)),
      connection_(std::move(other.connection_)),
      use_(other.use_) {}

Pool::Lent::~Lent() {
  if (pool_ != nullptr) pool_->give_back(connection_, use_);
}

Connection* Pool::Lent::operator->() const noexcept { return connection_.get(); }

Connection& Pool::Lent::operator*() const noexcept { return *connection_; }

const std::shared_ptr<Connection>& Pool::Lent::share() const noexcept {
  return connection_;
}

}  // namespace holdfast::mysql

// SPDX-License-Identifier: Apache-2.0

// engines/mysql/transport/pool.h - the connections of one client.
//
// A call uses an idle connection, or opens another, up to a limit. A connection that
// holds bells serves other calls, too; only a call that blocks in GET_LOCK needs one
// that holds none.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "engines/mysql/transport/connection.h"

namespace holdfast::mysql {

// The class is safe for concurrent use.
class Pool {
 public:
  static constexpr int kCalls = 8;  // at the same time; other calls wait for their turn

  Pool(Options options, std::chrono::seconds idle)
      : options_(std::move(options)), idle_(idle) {}

  enum class Use : std::uint8_t { call, renewal, block };

  // This is a connection on loan. The destructor gives it back; a cut connection is
  // forgotten.
  class Lent {
   public:
    Lent(Pool& pool, std::shared_ptr<Connection> connection, Use use) noexcept;
    Lent(Lent&& other) noexcept;
    Lent& operator=(Lent&&) = delete;
    ~Lent();

    Connection* operator->() const noexcept;
    Connection& operator*() const noexcept;
    const std::shared_ptr<Connection>& share() const noexcept;

   private:
    Pool* pool_;
    std::shared_ptr<Connection> connection_;
    Use use_;
  };

  Result<Lent> lend(engine::Deadline until);
  // Lends this connection. Errc::unavailable: it is cut.
  Result<Lent> lend(const std::shared_ptr<Connection>& wanted, engine::Deadline until);
  // Lends a connection without bells, to block on.
  Result<Lent> lend_to_block(engine::Deadline until);
  // Lends a connection however many calls there are, so that a hold is not lost because
  // calls wait.
  Result<Lent> lend_to_renew(engine::Deadline until);

  // Releases a bell that this connection has, and counts it no more: at once if no call
  // uses the connection, else when that call is over, which the caller does not wait
  // for. Nothing is to be done for a cut connection.
  void release_bell(const std::shared_ptr<Connection>& connection,
                    std::string bell) noexcept;

  const Options& options() const noexcept { return options_; }

  // Cuts the connections on loan. Nothing is lent any more: Errc::closed.
  void close() noexcept;

 private:
  struct Entry {
    std::shared_ptr<Connection> connection;
    bool busy;
    std::vector<std::string> left = {};  // the bells that are to be released
  };
  using Entries = std::vector<Entry>;

  Result<Lent> lend_one(Use use, engine::Deadline until);
  std::shared_ptr<Connection> take_idle(bool without_bells) HOLDFAST_REQUIRES(mutex_);
  void give_back(const std::shared_ptr<Connection>& connection, Use use) noexcept;
  void release_left(const std::shared_ptr<Connection>& connection) noexcept
      HOLDFAST_REQUIRES(mutex_);
  // Returns false if there is no time left.
  bool wait(base::MutexLock& lock, engine::Deadline until) HOLDFAST_REQUIRES(mutex_);
  Failure late() const;

  const Options options_;
  const std::chrono::seconds idle_;

  base::Mutex mutex_;
  base::CondVar changed_;
  Entries entries_ HOLDFAST_GUARDED_BY(mutex_);  // by last use
  int calls_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  int waiting_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  bool closed_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast::mysql

// engines/mysql/backend.h - what the resources of one session share.

#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "engines/kit/change_receipt.h"
#include "engines/kit/receipt_pool.h"
#include "engines/mysql/holds.h"
#include "engines/mysql/options.h"
#include "engines/mysql/poller.h"
#include "engines/mysql/transport/pool.h"
#include "engines/mysql/wakeups.h"
#include "holdfast/engine/session.h"

namespace holdfast::mysql {

// Safe for concurrent use.
class Backend {
 public:
  // Asks once, to see who is there, and creates the tables if they are missing.
  static Result<std::shared_ptr<Backend>> open(const Options& options,
                                               const engine::SessionOptions& session);
  ~Backend();

  const Options& options() const noexcept { return pool_.options(); }
  const std::string& payload() const noexcept { return payload_; }
  const std::string& client() const noexcept { return client_; }
  Pool& pool() noexcept { return pool_; }
  BellThreads& bell_threads() noexcept { return bell_threads_; }
  Poller& poller() noexcept { return poller_; }
  Holds& holds() noexcept { return holds_; }
  kit::ReceiptPool<kit::ChangeReceipt>& receipts() noexcept { return receipts_; }

  // Rows decide everywhere; bells ring only where a connection is one connection.
  bool has_bells() const noexcept { return bells_; }
  std::vector<std::string> warnings() const { return warnings_; }

  // On any connection, or on this one if it is not cut.
  Result<Answer> run(const Sql& sql, Args& args, engine::Deadline until,
                     const std::shared_ptr<Connection>& on = nullptr);

  // For a renewal: tried once, on `on` if that is free soon, otherwise on any.
  Result<Answer> renew(const Sql& sql, Args& args, engine::Deadline until,
                       const std::shared_ptr<Connection>& on);

  // How a claim is spelt: "<client>:<ticket>".
  std::string owner_of(engine::Ticket ticket) const;
  // The bell of a mutex, and of a claim.
  std::string bell_of(std::uint64_t resource, std::uint64_t number) const;
  static std::string bell_of(const std::string& owner) { return "hf:" + owner; }

  // How often somebody who waits says that he still does.
  std::chrono::milliseconds beat() const noexcept { return beat_; }

  // The time that a claim asks for.
  std::chrono::microseconds lease_of(const engine::Claim& claim) const noexcept;

 private:
  Backend(const Options& options, const engine::SessionOptions& session);

  Result<void> find_server(engine::Deadline until);
  Result<void> look_at_server(engine::Deadline until);
  Result<void> ensure_tables(engine::Deadline until);

  const std::string payload_;
  const std::string client_;
  const std::string bells_of_database_;
  const std::chrono::milliseconds ttl_;
  const std::chrono::milliseconds beat_;
  bool bells_ = false;
  std::vector<std::string> warnings_;
  kit::ReceiptPool<kit::ChangeReceipt> receipts_;
  Pool pool_;
  BellThreads bell_threads_;
  Poller poller_;
  Holds holds_;
};

}  // namespace holdfast::mysql

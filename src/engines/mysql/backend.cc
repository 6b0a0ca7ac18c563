#include "engines/mysql/backend.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/ids.h"
#include "base/probe.h"
#include "base/transient.h"
#include "engines/mysql/errors.h"
#include "engines/mysql/schema.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {
namespace {

using namespace std::chrono_literals;

constexpr auto kFirstCall = 10s;
constexpr auto kUsualGreeting = 1s;

// The first packet of a server: its length, the number 0, then the version of the
// protocol or an error.
bool is_foreign(std::string_view said) {
  if (said.size() < 5) return false;
  const bool is_first = said[3] == 0;
  return !is_first || (said[4] != 9 && said[4] != 10 && said[4] != '\xff');
}
constexpr auto kTimeForTheBellsConnection = 20ms;
constexpr std::chrono::microseconds kLongestLease = 24h * 365 * 100;

std::string hex(std::uint64_t number) {
  std::array<char, 17> digits{};
  std::to_chars(digits.data(), digits.data() + 16, number, 16);
  return digits.data();
}

// Bells are the server's, not the database's.
std::string hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return hex(hash);
}

std::string without_dashes(std::string text) {
  std::erase(text, '-');
  return text;
}

std::chrono::seconds idle_for(std::chrono::milliseconds ttl) {
  return std::clamp(std::chrono::ceil<std::chrono::seconds>(ttl) + 1s,
                    std::chrono::seconds(2), std::chrono::seconds(24h));
}

}  // namespace

Backend::Backend(const Options& options, const engine::SessionOptions& session)
    : payload_(session.payload),
      client_(without_dashes(base::to_string(session.client))),
      bells_of_database_("holdfast:" + hash_of(options.database) + ":"),
      ttl_(session.ttl),
      beat_(std::min<std::chrono::milliseconds>(
          std::chrono::milliseconds(idle_for(session.ttl)) / 3, 3s)),
      pool_(options, idle_for(session.ttl)),
      bell_threads_(pool_),
      poller_(pool_),
      holds_(pool_, session.alarm) {}

Backend::~Backend() { pool_.close(); }

Result<std::shared_ptr<Backend>> Backend::open(const Options& options,
                                               const engine::SessionOptions& session) {
  std::shared_ptr<Backend> backend(new Backend(options, session));
  const auto until = Clock::now() + kFirstCall;
  if (auto found = backend->find_server(until); !found) {
    return std::move(found).error();
  }
  if (auto seen = backend->look_at_server(until); !seen) return std::move(seen).error();
  if (options.mode == Way::getlock) return backend;
  auto ready = backend->ensure_tables(until);
  if (!ready) return std::move(ready).error();
  return backend;
}

// The library waits for a greeting, in vain if another sort of server is there, and
// calls one that it cannot read a lost connection.
Result<void> Backend::find_server(engine::Deadline until) {
  const auto soon = std::min<engine::Deadline>(until, Clock::now() + kUsualGreeting);
  auto connection = pool_.lend(soon);
  if (connection) return {};
  if (!base::is_transient(connection.error())) return std::move(connection).error();
  // It counts in whole seconds, and may be early.
  const bool is_slow = Clock::now() + 50ms >= soon;
  auto found = base::probe(options().hosts, {"MySQL", is_foreign}, until);
  if (!found || is_slow) return found;
  return std::move(connection).error();
}

Result<void> Backend::look_at_server(engine::Deadline until) {
  auto connection = pool_.lend(until);
  if (!connection) return std::move(connection).error();
  const auto facts =
      (*connection)
          ->ask(
              "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('wsrep_on', 'read_only', "
              "'group_replication_single_primary_mode', "
              "'innodb_flush_log_at_trx_commit', "
              "'log_bin', 'binlog_format')",
              until);
  if (!facts) return facts.error();
  const auto is = [&](std::string_view name, std::string_view value) {
    return std::ranges::any_of(*facts, [&](const auto& row) {
      return row.size() == 2 && row[0] == name && row[1] == value;
    });
  };
  if (is("read_only", "ON")) warnings_.push_back("the server is read-only");
  if (is("innodb_flush_log_at_trx_commit", "0") ||
      is("innodb_flush_log_at_trx_commit", "2")) {
    warnings_.push_back(
        "innodb_flush_log_at_trx_commit is not 1: a lock may be lost when the server's "
        "host crashes");
  }
  if (is("log_bin", "ON") && is("binlog_format", "STATEMENT")) {
    warnings_.push_back(
        "binlog_format is STATEMENT: replicas will not have the same rows; it must be "
        "MIXED or ROW");
  }
  const bool many =
      is("wsrep_on", "ON") || is("group_replication_single_primary_mode", "OFF");
  const bool direct = (*connection)->is_direct();
  bells_ = options().mode != Way::rows && !many && direct;
  if (bells_) {
    const auto rung = (*connection)->ask("SELECT RELEASE_LOCK('holdfast')", until);
    bells_ = rung || !has_no_bells((*connection)->last_error());
    if (!rung && bells_) return rung.error();
  }
  if (!bells_ && options().mode == Way::getlock) {
    return Failure(Errc::unsupported,
                   "?mode=getlock needs a single server that is asked directly");
  }
  if (!bells_ && options().mode == Way::hybrid) {
    warnings_.push_back(
        "GET_LOCK is not to be had here (a cluster, or a proxy): whoever waits looks "
        "at the rows again and again");
  }
  return {};
}

Result<void> Backend::ensure_tables(engine::Deadline until) {
  auto connection = pool_.lend(until);
  if (!connection) return std::move(connection).error();
  Args none;
  none << std::string_view("") << std::uint64_t{0};
  auto found = (*connection)->run(sql::kReceipt, none, until);
  if (found) return {};
  if (!is_no_table((*connection)->last_error())) return std::move(found).error();
  Failure missing = std::move(found).error();
  for (const std::string_view each : schema_statements()) {
    auto made = (*connection)->ask(std::string(each), until);
    if (!made && made.error().code == Errc::denied) return missing;
    if (!made) return std::move(made).error();
  }
  return {};
}

Result<Answer> Backend::run(const Sql& sql, Args& args, engine::Deadline until,
                            const std::shared_ptr<Connection>& on) {
  if (on != nullptr && !on->is_cut()) {
    auto that = pool_.lend(on, until);
    if (that) return (*that)->run(sql, args, until);
    if (!on->is_cut()) return std::move(that).error();
  }
  auto any = pool_.lend(until);
  if (!any) return std::move(any).error();
  return (*any)->run(sql, args, until);
}

Result<Answer> Backend::renew(const Sql& sql, Args& args, engine::Deadline until,
                              const std::shared_ptr<Connection>& on) {
  if (on != nullptr && !on->is_cut()) {
    auto that =
        pool_.lend(on, std::min(until, Clock::now() + kTimeForTheBellsConnection));
    if (that) return (*that)->try_to_run(sql, args, until);
  }
  auto any = pool_.lend_to_renew(until);
  if (!any) return std::move(any).error();
  return (*any)->try_to_run(sql, args, until);
}

std::string Backend::owner_of(engine::Ticket ticket) const {
  const std::string number = hex(static_cast<std::uint64_t>(ticket));
  return client_ + ":" + std::string(16 - number.size(), '0') + number;
}

std::string Backend::bell_of(std::uint64_t resource, std::uint64_t number) const {
  return bells_of_database_ + std::to_string(resource) + ":" + std::to_string(number);
}

std::chrono::microseconds Backend::lease_of(const engine::Claim& claim) const noexcept {
  if (claim.lease.count() == 0) {
    return std::min<std::chrono::microseconds>(ttl_, kLongestLease);
  }
  return std::min(std::chrono::duration_cast<std::chrono::microseconds>(claim.lease),
                  kLongestLease);
}

}  // namespace holdfast::mysql

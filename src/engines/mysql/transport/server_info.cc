// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/transport/server_info.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/probe.h"
#include "base/transient.h"
#include "engines/mysql/errors.h"

namespace holdfast::mysql {
namespace {

using namespace std::chrono_literals;

constexpr auto kUsualGreeting = 1s;

// The first packet of a server has its length, the number 0, and then the version of
// the protocol or an error.
bool is_foreign(std::string_view said) {
  if (said.size() < 5) return false;
  const bool is_first = said[3] == 0;
  return !is_first || (said[4] != 9 && said[4] != 10 && said[4] != '\xff');
}

// The client library waits in vain for the greeting of another sort of server, and
// reports one that it cannot read as a lost connection. It counts in whole seconds and
// may return a little early.
Result<void> find_server(Pool& pool, engine::Deadline until) {
  const auto soon = std::min<engine::Deadline>(until, Clock::now() + kUsualGreeting);
  auto connection = pool.lend(soon);
  if (connection) return {};
  if (!base::is_transient(connection.error())) return std::move(connection).error();
  const bool is_slow = Clock::now() + 50ms >= soon;
  auto found = base::probe(pool.options().hosts, {"MySQL", is_foreign}, until);
  if (!found || is_slow) return found;
  return std::move(connection).error();
}

struct Variables {
  std::vector<std::vector<std::string>> rows;

  bool is(std::string_view name, std::string_view value) const {
    return std::ranges::find(
               rows, std::vector<std::string>{std::string(name), std::string(value)}) !=
           rows.end();
  }
  std::string value_of(std::string_view name) const {
    const auto row =
        std::ranges::find(rows, name, [](const auto& r) { return r.at(0); });
    return row == rows.end() || row->size() < 2 ? "" : row->at(1);
  }
};

Result<Variables> read_variables(Connection& connection, engine::Deadline until) {
  auto rows = connection.ask(
      "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('wsrep_on', 'read_only', "
      "'group_replication_single_primary_mode', 'innodb_flush_log_at_trx_commit', "
      "'log_bin', 'binlog_format', 'version')",
      until);
  if (!rows) return std::move(rows).error();
  return Variables{*std::move(rows)};
}

void warn(const Variables& server, std::vector<std::string>& warnings) {
  if (server.is("read_only", "ON")) warnings.push_back("the server is read-only");
  if (server.is("innodb_flush_log_at_trx_commit", "0") ||
      server.is("innodb_flush_log_at_trx_commit", "2")) {
    warnings.push_back(
        "innodb_flush_log_at_trx_commit is not 1: a lock may be lost when the server's "
        "host crashes");
  }
  if (server.is("log_bin", "ON") && server.is("binlog_format", "STATEMENT")) {
    warnings.push_back(
        "binlog_format is STATEMENT: replicas will not have the same rows; it must be "
        "MIXED or ROW");
  }
}

Result<bool> has_bells(Connection& connection, const Variables& server, LockMethod mode,
                       engine::Deadline until) {
  const bool many_primaries = server.is("wsrep_on", "ON") ||
                              server.is("group_replication_single_primary_mode", "OFF");
  if (mode == LockMethod::rows || many_primaries || !connection.is_direct())
    return false;
  const auto released = connection.ask("SELECT RELEASE_LOCK('holdfast')", until);
  if (released) return true;
  if (has_no_bells(connection.last_error())) return false;
  return released.error();
}

}  // namespace

Result<ServerInfo> read_server_info(Pool& pool, engine::Deadline until) {
  if (auto found = find_server(pool, until); !found) return std::move(found).error();
  auto connection = pool.lend(until);
  if (!connection) return std::move(connection).error();
  const auto server = read_variables(**connection, until);
  if (!server) return server.error();
  const LockMethod mode = pool.options().mode;
  const auto bells = has_bells(**connection, *server, mode, until);
  if (!bells.has_value()) return bells.error();
  if (!*bells && mode == LockMethod::getlock) {
    return Failure(Errc::unsupported,
                   "MySQL at " + pool.options().spelt() +
                       " is a cluster or behind a proxy, and ?mode=getlock needs a "
                       "single server that is asked directly: leave it out");
  }
  ServerInfo info{
      .has_bells = *bells, .version = server->value_of("version"), .warnings = {}};
  warn(*server, info.warnings);
  if (!*bells && mode == LockMethod::hybrid) {
    info.warnings.push_back(
        "GET_LOCK cannot be used here (a cluster, or a proxy): waiters poll the rows");
  }
  return info;
}

}  // namespace holdfast::mysql

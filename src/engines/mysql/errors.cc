// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/errors.h"

#include <errmsg.h>
#include <mysqld_error.h>

#include <algorithm>
#include <iterator>

#include "base/common_failures.h"

namespace holdfast::mysql {
namespace {

// MariaDB's header does not have these.
constexpr unsigned kClientInteractionTimeout = 4031;
constexpr unsigned kGroupReplication = 3101;  // the other servers refused the commit
constexpr unsigned kAccountLocked = 3118;
constexpr unsigned kAccountBlocked = 3955;  // after too many wrong passwords

template <std::size_t kCount>
bool is_one_of(const unsigned (&errors)[kCount], unsigned error) noexcept {
  return std::find(std::begin(errors), std::end(errors), error) != std::end(errors);
}

constexpr unsigned kCuts[] = {
    CR_SERVER_GONE_ERROR,        CR_SERVER_LOST,           CR_SERVER_LOST_EXTENDED,
    CR_COMMANDS_OUT_OF_SYNC,     CR_MALFORMED_PACKET,      CR_SSL_CONNECTION_ERROR,
    ER_SERVER_SHUTDOWN,          ER_NORMAL_SHUTDOWN,       ER_CONNECTION_KILLED,
    ER_QUERY_INTERRUPTED,        ER_NET_READ_INTERRUPTED,  ER_NET_READ_ERROR,
    ER_NET_PACKETS_OUT_OF_ORDER, kClientInteractionTimeout};

constexpr unsigned kDenials[] = {ER_ACCESS_DENIED_ERROR,
                                 ER_ACCESS_DENIED_NO_PASSWORD_ERROR,
                                 ER_DBACCESS_DENIED_ERROR,
                                 ER_TABLEACCESS_DENIED_ERROR,
                                 ER_COLUMNACCESS_DENIED_ERROR,
                                 ER_SPECIFIC_ACCESS_DENIED_ERROR,
                                 ER_HOST_NOT_PRIVILEGED,
                                 ER_HOST_IS_BLOCKED,
                                 ER_MUST_CHANGE_PASSWORD,
                                 ER_MUST_CHANGE_PASSWORD_LOGIN,
                                 ER_ACCOUNT_HAS_BEEN_LOCKED,
                                 ER_USER_IS_BLOCKED,
                                 kAccountLocked,
                                 kAccountBlocked};

constexpr unsigned kFull[] = {ER_DISK_FULL, ER_RECORD_FILE_FULL, ER_OUT_OF_RESOURCES,
                              ER_OUTOFMEMORY, ER_LOCK_TABLE_FULL};

constexpr unsigned kTooMany[] = {ER_CON_COUNT_ERROR, ER_TOO_MANY_USER_CONNECTIONS,
                                 ER_USER_LIMIT_REACHED};

// `what` is what the library says, with the number.
Failure why_refused(unsigned error, const std::string& server,
                    const std::string& what) {
  const std::string so = " (" + what + "): ";
  if (is_in_the_way(error)) {
    return {Errc::unavailable,
            server + " has locked the row for other statements" + so + "try again"};
  }
  if (is_no_table(error)) {
    return {Errc::incompatible, server + " does not have the tables" + so +
                                    "`holdfast schema mysql` prints what creates them"};
  }
  if (error == ER_BAD_FIELD_ERROR || error == ER_WRONG_VALUE_COUNT_ON_ROW) {
    return {Errc::incompatible,
            server + " has the tables of another version of Holdfast" + so +
                "`holdfast schema mysql` prints those that are needed"};
  }
  if (is_one_of(kDenials, error)) return base::user_refused(server, what);
  if (is_one_of(kFull, error)) {
    return {Errc::full,
            server + " has no room left" + so + "free some of its disk or memory"};
  }
  if (error == ER_OPTION_PREVENTS_STATEMENT || error == ER_READ_ONLY_MODE ||
      error == ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION) {
    return {Errc::unavailable, server + " takes no changes now" + so +
                                   "end its read_only, or name its primary in the URL"};
  }
  return {Errc::unavailable,
          server + " refuses a statement" + so + "its log may tell why"};
}

}  // namespace

bool is_cut(unsigned error) noexcept { return is_one_of(kCuts, error); }

bool is_in_the_way(unsigned error) noexcept {
  return error == ER_LOCK_DEADLOCK || error == ER_LOCK_WAIT_TIMEOUT ||
         error == ER_CHECKREAD || error == kGroupReplication;
}

bool is_no_table(unsigned error) noexcept { return error == ER_NO_SUCH_TABLE; }

bool has_no_bells(unsigned error) noexcept { return error == ER_NOT_SUPPORTED_YET; }

Failure why_failed(unsigned error, const std::string& text, const std::string& server,
                   bool is_late) {
  const std::string what = text + " (" + std::to_string(error) + ")";
  if (is_cut(error)) {
    return is_late ? base::not_answered(server, Errc::outcome_unknown, what)
                   : base::connection_lost(server, Errc::outcome_unknown, what);
  }
  if (error == CR_OUT_OF_MEMORY) {
    return base::no_memory("ask", server, Errc::unavailable);
  }
  return why_refused(error, server, what);
}

Failure why_not_connected(unsigned error, const std::string& text,
                          const std::string& where) {
  const std::string server = "MySQL at " + where;
  const auto says = [&](const char* words) {
    return text.find(words) != std::string::npos;
  };
  if (error == CR_SSL_CONNECTION_ERROR) {
    if (says("does not support")) return has_no_tls(where);
    if (says("ertificate")) return base::not_trusted(server, text);
  }
  if (error == ER_BAD_DB_ERROR) {
    return {Errc::denied, server + " does not have the database (" + text +
                              "): create it, or name another one in the URL"};
  }
  if (is_one_of(kDenials, error)) return base::user_refused(server, text);
  if (is_one_of(kTooMany, error)) {
    return {Errc::unavailable, server + " has no connection left (" + text +
                                   "): raise max_connections, or use fewer clients"};
  }
  if (error == CR_OUT_OF_MEMORY) {
    return base::no_memory("connect to", server, Errc::unavailable);
  }
  return base::cannot_reach(server, text);
}

Failure has_no_tls(const std::string& where) {
  return {Errc::denied, "MySQL at " + where +
                            " does not have TLS: turn it on there, or use ?tls=off"};
}

Failure still_waiting(const std::string& name, Errc code) {
  return {code, "the thread that waits for " + base::in_quotes(name) +
                    " did not stop in time: try again"};
}

}  // namespace holdfast::mysql

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

constexpr unsigned kDenials[] = {
    ER_ACCESS_DENIED_ERROR,       ER_ACCESS_DENIED_NO_PASSWORD_ERROR,
    ER_DBACCESS_DENIED_ERROR,     ER_TABLEACCESS_DENIED_ERROR,
    ER_COLUMNACCESS_DENIED_ERROR, ER_SPECIFIC_ACCESS_DENIED_ERROR,
    ER_HOST_NOT_PRIVILEGED,       ER_HOST_IS_BLOCKED,
    ER_MUST_CHANGE_PASSWORD,      ER_ACCOUNT_HAS_BEEN_LOCKED};

constexpr unsigned kFull[] = {ER_DISK_FULL, ER_RECORD_FILE_FULL, ER_OUT_OF_RESOURCES,
                              ER_OUTOFMEMORY, ER_LOCK_TABLE_FULL};

// `what` is what the library says, with the number.
Failure why_refused(unsigned error, const std::string& what) {
  if (is_in_the_way(error)) {
    return {Errc::unavailable,
            "other statements have locked the row, try again: " + what};
  }
  if (is_no_table(error)) {
    return {Errc::incompatible,
            "the tables are not there; `holdfast schema mysql` prints what creates "
            "them: " +
                what};
  }
  if (error == ER_BAD_FIELD_ERROR || error == ER_WRONG_VALUE_COUNT_ON_ROW) {
    return {
        Errc::incompatible,
        "the tables are of another version of Holdfast; `holdfast schema mysql` prints "
        "those that are needed: " +
            what};
  }
  if (is_one_of(kDenials, error)) return {Errc::denied, "refused: " + what};
  if (is_one_of(kFull, error))
    return {Errc::full, "the server has no room left, make some: " + what};
  if (error == ER_OPTION_PREVENTS_STATEMENT || error == ER_READ_ONLY_MODE ||
      error == ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION) {
    return {Errc::unavailable, "the server takes no changes now: " + what};
  }
  return {Errc::unavailable, "refused: " + what};
}

}  // namespace

bool is_cut(unsigned error) noexcept { return is_one_of(kCuts, error); }

bool is_in_the_way(unsigned error) noexcept {
  return error == ER_LOCK_DEADLOCK || error == ER_LOCK_WAIT_TIMEOUT ||
         error == ER_CHECKREAD || error == kGroupReplication;
}

bool is_no_table(unsigned error) noexcept { return error == ER_NO_SUCH_TABLE; }

bool has_no_bells(unsigned error) noexcept { return error == ER_NOT_SUPPORTED_YET; }

Failure why_failed(unsigned error, const std::string& text, const std::string& server) {
  const std::string what = text + " (" + std::to_string(error) + ")";
  if (is_cut(error)) return base::not_answered(server, Errc::outcome_unknown, what);
  Failure why = why_refused(error, what);
  why.context = server + ": " + why.context;
  return why;
}

Failure why_not_connected(unsigned error, const std::string& text,
                          const std::string& where) {
  const std::string at = "MySQL at " + where + ": ";
  const auto says = [&](const char* words) {
    return text.find(words) != std::string::npos;
  };
  const bool untrusted = error == CR_SSL_CONNECTION_ERROR &&
                         (says("ertificate") || says("does not support"));
  if (error == ER_BAD_DB_ERROR || untrusted) return {Errc::denied, at + text};
  if (is_one_of(kDenials, error)) return {Errc::denied, at + text};
  return {Errc::unavailable, at + text};
}

Failure still_waiting(const std::string& name, Errc code) {
  return {code, "the thread that waits for " + base::in_quotes(name) +
                    " did not stop in time: try again"};
}

}  // namespace holdfast::mysql

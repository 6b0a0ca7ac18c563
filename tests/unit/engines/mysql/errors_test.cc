// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/errors.h"

#include <errmsg.h>
#include <gtest/gtest.h>
#include <mysqld_error.h>

#include <string>

namespace holdfast::mysql {
namespace {

constexpr char kServer[] = "MySQL at db1:3306";

// What a failed statement is told to have done. The numbers are those of the protocol,
// because MySQL has some that MariaDB's header does not name.
enum class Meaning {
  cut,         // the connection is of no more use
  in_the_way,  // another statement was: it may be sent again
  no_table,
  no_bells,
  other,
};

struct StatementRow {
  unsigned error;
  Errc code;
  Meaning meaning;
};

constexpr StatementRow kStatements[] = {
    {CR_SERVER_GONE_ERROR, Errc::outcome_unknown, Meaning::cut},
    {CR_SERVER_LOST, Errc::outcome_unknown, Meaning::cut},
    {CR_SERVER_LOST_EXTENDED, Errc::outcome_unknown, Meaning::cut},
    {CR_COMMANDS_OUT_OF_SYNC, Errc::outcome_unknown, Meaning::cut},
    {CR_MALFORMED_PACKET, Errc::outcome_unknown, Meaning::cut},
    {CR_SSL_CONNECTION_ERROR, Errc::outcome_unknown, Meaning::cut},
    {ER_SERVER_SHUTDOWN, Errc::outcome_unknown, Meaning::cut},
    {ER_NORMAL_SHUTDOWN, Errc::outcome_unknown, Meaning::cut},
    {ER_CONNECTION_KILLED, Errc::outcome_unknown, Meaning::cut},
    {ER_QUERY_INTERRUPTED, Errc::outcome_unknown, Meaning::cut},
    {ER_NET_READ_INTERRUPTED, Errc::outcome_unknown, Meaning::cut},
    {ER_NET_READ_ERROR, Errc::outcome_unknown, Meaning::cut},
    {ER_NET_PACKETS_OUT_OF_ORDER, Errc::outcome_unknown, Meaning::cut},
    {4031, Errc::outcome_unknown, Meaning::cut},  // idle for too long, in MySQL 8

    {ER_LOCK_DEADLOCK, Errc::unavailable, Meaning::in_the_way},
    {ER_LOCK_WAIT_TIMEOUT, Errc::unavailable, Meaning::in_the_way},
    {ER_CHECKREAD, Errc::unavailable, Meaning::in_the_way},
    {3101, Errc::unavailable, Meaning::in_the_way},  // group replication of MySQL

    {ER_NO_SUCH_TABLE, Errc::incompatible, Meaning::no_table},
    {ER_BAD_FIELD_ERROR, Errc::incompatible, Meaning::other},
    {ER_WRONG_VALUE_COUNT_ON_ROW, Errc::incompatible, Meaning::other},

    {ER_ACCESS_DENIED_ERROR, Errc::denied, Meaning::other},
    {ER_ACCESS_DENIED_NO_PASSWORD_ERROR, Errc::denied, Meaning::other},
    {ER_DBACCESS_DENIED_ERROR, Errc::denied, Meaning::other},
    {ER_TABLEACCESS_DENIED_ERROR, Errc::denied, Meaning::other},
    {ER_COLUMNACCESS_DENIED_ERROR, Errc::denied, Meaning::other},
    {ER_SPECIFIC_ACCESS_DENIED_ERROR, Errc::denied, Meaning::other},
    {ER_MUST_CHANGE_PASSWORD, Errc::denied, Meaning::other},

    {ER_DISK_FULL, Errc::full, Meaning::other},
    {ER_RECORD_FILE_FULL, Errc::full, Meaning::other},
    {ER_OUT_OF_RESOURCES, Errc::full, Meaning::other},
    {ER_OUTOFMEMORY, Errc::full, Meaning::other},
    {ER_LOCK_TABLE_FULL, Errc::full, Meaning::other},

    {ER_OPTION_PREVENTS_STATEMENT, Errc::unavailable, Meaning::other},
    {ER_READ_ONLY_MODE, Errc::unavailable, Meaning::other},
    {ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION, Errc::unavailable, Meaning::other},

    {ER_NOT_SUPPORTED_YET, Errc::unavailable, Meaning::no_bells},
    {ER_PARSE_ERROR, Errc::unavailable, Meaning::other},
};

TEST(MysqlErrors, OfAStatementMeanWhatTheTableSays) {
  for (const StatementRow& row : kStatements) {
    SCOPED_TRACE(row.error);
    EXPECT_EQ(is_cut(row.error), row.meaning == Meaning::cut);
    EXPECT_EQ(is_in_the_way(row.error), row.meaning == Meaning::in_the_way);
    EXPECT_EQ(is_no_table(row.error), row.meaning == Meaning::no_table);
    EXPECT_EQ(has_no_bells(row.error), row.meaning == Meaning::no_bells);
    const Failure why = why_failed(row.error, "so it is", kServer, false);
    EXPECT_EQ(why.code, row.code) << why.message();
    EXPECT_NE(why.context.find(kServer), std::string::npos) << why.context;
    EXPECT_NE(why.context.find("so it is"), std::string::npos) << why.context;
    EXPECT_NE(why.context.find(std::to_string(row.error)), std::string::npos)
        << why.context;
  }
}

// To try again does not help a user that the server does not let in.
struct ConnectRow {
  unsigned error;
  const char* text;
  Errc code;
};

constexpr ConnectRow kConnects[] = {
    {ER_ACCESS_DENIED_ERROR, "Access denied", Errc::denied},
    {ER_ACCESS_DENIED_NO_PASSWORD_ERROR, "Access denied", Errc::denied},
    {ER_DBACCESS_DENIED_ERROR, "Access denied", Errc::denied},
    {ER_BAD_DB_ERROR, "Unknown database", Errc::denied},
    {ER_HOST_NOT_PRIVILEGED, "Host is not allowed", Errc::denied},
    {ER_HOST_IS_BLOCKED, "Host is blocked", Errc::denied},
    {ER_MUST_CHANGE_PASSWORD, "You must reset your password", Errc::denied},
    {ER_MUST_CHANGE_PASSWORD_LOGIN, "Your password has expired", Errc::denied},
    {ER_ACCOUNT_HAS_BEEN_LOCKED, "This account is locked", Errc::denied},
    {3118, "Account is locked", Errc::denied},  // the same in MySQL
    {ER_USER_IS_BLOCKED, "User is blocked", Errc::denied},
    {3955, "Account is blocked", Errc::denied},  // the same in MySQL

    {CR_SSL_CONNECTION_ERROR, "certificate verify failed", Errc::denied},
    {CR_SSL_CONNECTION_ERROR, "Certificate is self-signed", Errc::denied},
    {CR_SSL_CONNECTION_ERROR, "Connection reset by peer", Errc::unavailable},

    {CR_CONNECTION_ERROR, "no certificate, no socket", Errc::unavailable},
    {CR_CONN_HOST_ERROR, "Connection refused", Errc::unavailable},
    {CR_UNKNOWN_HOST, "Unknown host", Errc::unavailable},
    {CR_SERVER_LOST, "Lost connection", Errc::unavailable},
    {ER_CON_COUNT_ERROR, "Too many connections", Errc::unavailable},
    {ER_TOO_MANY_USER_CONNECTIONS, "Too many connections", Errc::unavailable},
    {ER_SERVER_SHUTDOWN, "Server shutdown in progress", Errc::unavailable},
};

TEST(MysqlErrors, OfAConnectionMeanWhatTheTableSays) {
  for (const ConnectRow& row : kConnects) {
    SCOPED_TRACE(row.error);
    const Failure why = why_not_connected(row.error, row.text, "db1:3306");
    EXPECT_EQ(why.code, row.code) << why.message();
    EXPECT_NE(why.context.find("db1:3306"), std::string::npos) << why.context;
    EXPECT_NE(why.context.find(row.text), std::string::npos) << why.context;
  }
}

TEST(MysqlErrors, OfAWaiterThatDoesNotStopNameTheLock) {
  const Failure why = still_waiting("stock");
  EXPECT_EQ(why.code, Errc::outcome_unknown);
  EXPECT_NE(why.context.find("stock"), std::string::npos) << why.context;
  EXPECT_EQ(still_waiting("stock", Errc::unavailable).code, Errc::unavailable);
}

struct ErrorRow {
  unsigned error;
  Errc code;
  std::string text;
};

TEST(MysqlErrors, AStatementThatFailedNamesTheServerAndWhatHelps) {
  const std::string server = "MariaDB at db:3306";
  for (const ErrorRow& each : {
           ErrorRow{
               CR_SERVER_LOST, Errc::outcome_unknown,
               "the connection to " + server +
                   " was lost (why (2013)): check that it runs and can be reached"},
           ErrorRow{ER_LOCK_DEADLOCK, Errc::unavailable,
                    server +
                        " has locked the row for other statements (why (1213)): try "
                        "again"},
           ErrorRow{ER_NO_SUCH_TABLE, Errc::incompatible,
                    server + " does not have the tables (why (1146)): `holdfast schema "
                             "mysql` prints what creates them"},
           ErrorRow{ER_BAD_FIELD_ERROR, Errc::incompatible,
                    server +
                        " has the tables of another version of Holdfast (why (1054)): "
                        "`holdfast schema mysql` prints those that are needed"},
           ErrorRow{ER_TABLEACCESS_DENIED_ERROR, Errc::denied,
                    server +
                        " refuses: why (1142); check the user, its password and its "
                        "rights"},
           ErrorRow{ER_DISK_FULL, Errc::full,
                    server + " has no room left (why (1021)): free some of its disk or "
                             "memory"},
           ErrorRow{ER_OPTION_PREVENTS_STATEMENT, Errc::unavailable,
                    server +
                        " takes no changes now (why (1290)): end its read_only, or "
                        "name its primary in the URL"},
           ErrorRow{CR_OUT_OF_MEMORY, Errc::unavailable,
                    "no memory to ask " + server + ": free some and try again"},
           ErrorRow{ER_PARSE_ERROR, Errc::unavailable,
                    server + " refuses a statement (why (1064)): its log may tell why"},
       }) {
    const Failure why = why_failed(each.error, "why", server, false);
    EXPECT_EQ(why.code, each.code) << each.text;
    EXPECT_EQ(why.context, each.text);
  }
  EXPECT_EQ(why_failed(CR_SERVER_LOST, "why", server, true).context,
            server +
                " did not answer in time (why (2013)): check that it runs and can "
                "be reached");
}

TEST(MysqlErrors, AConnectionThatWasNotMadeNamesTheServerAndWhatHelps) {
  const std::string server = "MySQL at db:3306";
  for (const ErrorRow& each : {
           ErrorRow{CR_CONN_HOST_ERROR, Errc::unavailable,
                    "cannot reach " + server +
                        ": why; check that it runs and can be reached"},
           ErrorRow{
               ER_ACCESS_DENIED_ERROR, Errc::denied,
               server + " refuses: why; check the user, its password and its rights"},
           ErrorRow{ER_BAD_DB_ERROR, Errc::denied,
                    server +
                        " does not have the database (why): create it, or name another "
                        "one in the URL"},
           ErrorRow{ER_CON_COUNT_ERROR, Errc::unavailable,
                    server +
                        " has no connection left (why): raise max_connections, or use "
                        "fewer clients"},
           ErrorRow{CR_OUT_OF_MEMORY, Errc::unavailable,
                    "no memory to connect to " + server + ": free some and try again"},
       }) {
    const Failure why = why_not_connected(each.error, "why", "db:3306");
    EXPECT_EQ(why.code, each.code) << each.text;
    EXPECT_EQ(why.context, each.text);
  }
  const auto tls = [](const std::string& text) {
    return why_not_connected(CR_SSL_CONNECTION_ERROR, text, "db:3306").context;
  };
  EXPECT_EQ(tls("certificate has expired"),
            "the certificate of " + server +
                " is not trusted: certificate has expired; ?ca= names the file of its "
                "authority");
  EXPECT_EQ(tls("SSL is required, but the server does not support it"),
            server + " does not have TLS: turn it on there, or use ?tls=off");
}

}  // namespace
}  // namespace holdfast::mysql

// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/errors.h"

#include <errmsg.h>
#include <gtest/gtest.h>
#include <mysqld_error.h>

#include <string>

namespace holdfast::mysql {
namespace {

struct ErrorRow {
  unsigned error;
  Errc code;
  std::string text;
};

TEST(MysqlErrorsTest, AStatementThatFailedNamesTheServerAndWhatHelps) {
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

TEST(MysqlErrorsTest, AConnectionThatWasNotMadeNamesTheServerAndWhatHelps) {
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

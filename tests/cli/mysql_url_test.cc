// SPDX-License-Identifier: Apache-2.0

// Good and bad ways to say where MariaDB is and which user runs the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "cli/bad_url.h"
#include "cli/cli_user.h"
#include "support/mysql_server.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The user ann may use what is in "locks", and nothing else.
class MysqlCliUser : public CliUser {
 protected:
  MysqlCliUser() {
    server_.make_database("locks");
    std::string script = "CREATE USER ann IDENTIFIED BY 'c4n4ry';";
    for (const std::string table : {"resource", "claim", "mark"}) {
      script += "GRANT SELECT, INSERT, UPDATE, DELETE ON locks.holdfast_" + table +
                " TO ann;";
    }
    server_.shell().run(script);
    at("mysql", "127.0.0.1:" + std::to_string(server_.port()), "/locks");
  }

  void expect_denied() const { expect_refused(77, "denied"); }

  MysqlServer server_;
};

TEST_F(MysqlCliUser, IsInTheUrl) {
  EXPECT_EQ(run().code, 0);
  Process holder = holdfast_.hold("job", kUntilTold);
  EXPECT_EQ(run().code, 75);
  EXPECT_EQ(checked(holdfast_({"show", "job"})).code, 0);
  EXPECT_EQ(checked(holdfast_({"ls"})).code, 0);
  EXPECT_EQ(checked(holdfast_({"gc"})).code, 0);
  EXPECT_EQ(checked(holdfast_({"counter", "stock", "add"})).out, "1\n");
}

TEST_F(MysqlCliUser, IsNotSeenInTheListOfProcesses) {
  const std::string ann = url(std::string("ann:") + kCanary, "/locks");
  Process holder = holdfast_.hold("job", kUntilTold, {"--url", ann});
  EXPECT_THAT(contents(holdfast_.err_file()), HasSubstr("a password in --url"));
  const std::string seen =
      contents("/proc/" + std::to_string(holder.pid()) + "/cmdline");
  EXPECT_THAT(seen, HasSubstr("--url"));
  EXPECT_THAT(seen, Not(HasSubstr(kCanary)));
  EXPECT_EQ(
      server_.shell().number("SELECT COUNT(*) FROM information_schema.processlist "
                             "WHERE INFO LIKE '%c4n%4ry%' AND USER = 'ann'"),
      0);
}

TEST_F(MysqlCliUser, IsDeniedWithAWrongPassword) {
  as(std::string("ann:wrong-") + kCanary);
  expect_denied();
}

TEST_F(MysqlCliUser, IsDeniedIfUnknown) {
  as(std::string("bob:") + kCanary);
  expect_denied();
}

TEST_F(MysqlCliUser, IsThatOfTheSystemIfThereIsNone) {
  holdfast_.set("HOLDFAST_URL=mysql://" + address_ + "/locks");
  const passwd* const user = ::getpwuid(::geteuid());
  ASSERT_NE(user, nullptr);
  expect_refused(77, "denied for user '" + std::string(user->pw_name) + "'");
}

TEST_F(MysqlCliUser, IsDeniedInAnotherDatabase) {
  server_.make_database("theirs");
  as(std::string("ann:") + kCanary, "/theirs");
  expect_denied();
}

TEST_F(MysqlCliUser, IsToldOfADatabaseThatIsNotThere) {
  server_.shell().run("GRANT SELECT ON *.* TO ann");
  as(std::string("ann:") + kCanary, "/no_such");
  expect_refused(77, "no_such");
}

TEST_F(MysqlCliUser, IsToldWhatMakesTheTables) {
  server_.shell().run(
      "CREATE DATABASE fresh; GRANT SELECT, INSERT, UPDATE, DELETE ON fresh.* TO ann");
  as(std::string("ann:") + kCanary, "/fresh");
  expect_refused(73, "`holdfast schema mysql`");
  server_.shell().run("GRANT CREATE ON fresh.* TO ann");
  EXPECT_EQ(run().code, 0) << "the tables were not made on first use";
}

TEST_F(MysqlCliUser, MayHaveThePasswordFromTheEnvironment) {
  as("ann");
  EXPECT_EQ(run().code, 77);
  holdfast_.set(std::string("HOLDFAST_PASSWORD=") + kCanary);
  EXPECT_EQ(run().code, 0);
}

TEST_F(MysqlCliUser, MayHaveThePasswordFromAFile) {
  std::ofstream(holdfast_.file("password")) << kCanary << "\n";
  as("ann", "/locks?password_file=" + holdfast_.file("password"));
  EXPECT_EQ(run().code, 0);
  as("ann", "/locks?password_file=/no/such/file");
  EXPECT_EQ(run().code, 77);
}

TEST_F(MysqlCliUser, MayBeInTheConfigFile) {
  std::ofstream(holdfast_.file("conf"))
      << "type = mysql\naddress = " << address_
      << "\npath = /locks\nuser = ann\npassword = " << kCanary << "\n";
  EXPECT_EQ(run({"--config", holdfast_.file("conf")}).code, 0);
}

TEST_F(MysqlCliUser, MayComeThroughASocketOrAnotherHost) {
  const std::string ann = std::string("mysql://ann:") + kCanary + "@";
  for (const std::string& rest :
       {"/locks?socket=" + server_.socket(), "127.0.0.1:1," + address_ + "/locks"}) {
    holdfast_.set("HOLDFAST_URL=" + ann + rest);
    const Outcome outcome = run();
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Mysql, BadUrlTest,
    testing::Values(
        BadUrl{"mysql://127.0.0.1", 78, "a database is missing"},
        BadUrl{"mysql://127.0.0.1/a/b", 78, "one database"},
        BadUrl{"mysql://127.0.0.1/a%00b", 78, "one database"},
        BadUrl{"mysql://127.0.0.1/locks?color=red", 78, "color"},
        BadUrl{"mysql://127.0.0.1/locks?mode=fast", 78, "hybrid, rows, getlock"},
        BadUrl{"mysql://127.0.0.1/locks?tls=on", 78, "verify, encrypt, off"},
        BadUrl{"mysql://127.0.0.1/locks?password_file=", 78, "password_file"},
        BadUrl{"mysql://127.0.0.1/locks?socket=/a", 78, "instead of a host"},
        BadUrl{"mysql://127.0.0.1/locks?cert=/a", 78, "?key="},
        BadUrl{"mysql://127.0.0.1/locks?tls=off&ca=/a", 78, "TLS, which is off"},
        BadUrl{"mysql://127.0.0.1/locks?ca=/no/such/file", 77, "/no/such/file"},
        BadUrl{"mysql://127.0.0.1:99999/locks", 78, "port"},
        BadUrl{"mysql://h1:1,:2/locks", 78, "host"},
        BadUrl{"mysql://:c4n4ry@127.0.0.1/locks", 78, "user"},
        BadUrl{"mysql://no-such-host.invalid/locks", 69, "no-such-host.invalid"},
        BadUrl{"mysql://ann:c4n4ry@/locks?socket=/no/such", 69, "/no/such"},
        BadUrl{"mysql://ann:c4n4ry@127.0.0.1:1,127.0.0.1:2/locks", 69, "127.0.0.1:2"},
        BadUrl{"mysql://ann:c4n4ry@127.0.0.1:1/locks?tls=verify", 69, "127.0.0.1:1"}));

}  // namespace
}  // namespace holdfast::test

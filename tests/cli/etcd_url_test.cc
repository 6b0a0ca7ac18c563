// SPDX-License-Identifier: Apache-2.0

// Good and bad ways to say where etcd is and which user runs the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "cli/bad_url.h"
#include "cli/cli_user.h"
#include "support/etcd_server.h"
#include "support/etcd_shell.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;

// The user ann may use what is below /app/, and nothing else.
class EtcdCliUser : public CliUser {
 protected:
  EtcdCliUser() {
    EtcdShell shell(server_.port());
    shell.call("auth/user/add", R"({"name":"root","password":"r00t"})");
    shell.call("auth/user/grant", R"({"user":"root","role":"root"})");
    shell.call("auth/user/add", R"({"name":"ann","password":"c4n4ry"})");
    shell.call("auth/role/add", R"({"name":"app"})");
    // The range is from "/app/" to its end, "/app0".
    shell.call("auth/role/grant", R"({"name":"app","perm":{"permType":"READWRITE",)"
                                  R"("key":"L2FwcC8=","range_end":"L2FwcDA="}})");
    shell.call("auth/user/grant", R"({"user":"ann","role":"app"})");
    shell.call("auth/enable");
    at("etcd", server_.address(), "/app");
  }

  void expect_denied() const { expect_refused(77, "refuses"); }

  EtcdServer server_;
};

TEST_F(EtcdCliUser, IsInTheUrl) {
  EXPECT_EQ(run().code, 0);
  Process holder = holdfast_.hold("job", "echo in; read line");
  EXPECT_EQ(run().code, 75);
  EXPECT_EQ(checked(holdfast_({"show", "job"})).code, 0);
  EXPECT_EQ(checked(holdfast_({"ls"})).code, 0);
  EXPECT_EQ(checked(holdfast_({"counter", "stock", "add"})).out, "1\n");
  const Outcome warned = run({"--url", url(std::string("ann:") + kCanary, "/app")});
  EXPECT_EQ(warned.code, 75);
  EXPECT_THAT(warned.err, HasSubstr("a password in --url"));
}

TEST_F(EtcdCliUser, IsDeniedWithAWrongPassword) {
  as(std::string("ann:wrong-") + kCanary);
  expect_denied();
}

TEST_F(EtcdCliUser, IsDeniedIfUnknown) {
  as(std::string("bob:") + kCanary);
  expect_denied();
}

TEST_F(EtcdCliUser, IsDeniedOutsideOfItsPrefix) {
  as(std::string("ann:") + kCanary, "/other");
  expect_denied();
}

TEST_F(EtcdCliUser, IsRequired) {
  holdfast_.set("HOLDFAST_URL=" + server_.url("/app"));
  expect_denied();
}

TEST_F(EtcdCliUser, MayHaveThePasswordFromTheEnvironment) {
  as("ann");
  EXPECT_EQ(run().code, 77);
  holdfast_.set(std::string("HOLDFAST_PASSWORD=") + kCanary);
  EXPECT_EQ(run().code, 0);
}

TEST_F(EtcdCliUser, MayHaveThePasswordFromAFile) {
  std::ofstream(holdfast_.file("password")) << kCanary << "\n";
  as("ann", "/app?password_file=" + holdfast_.file("password"));
  EXPECT_EQ(run().code, 0);
  as("ann", "/app?password_file=/no/such/file");
  EXPECT_EQ(run().code, 77);
}

TEST_F(EtcdCliUser, MayBeInTheConfigFile) {
  std::ofstream(holdfast_.file("conf"))
      << "type = etcd\naddress = " << server_.address()
      << "\npath = /app\nuser = ann\npassword = " << kCanary << "\n";
  EXPECT_EQ(run({"--config", holdfast_.file("conf")}).code, 0);
}

TEST(EtcdCliMembers, OneOfThemIsEnough) {
  EtcdServer server;
  Program holdfast;
  for (const std::string& hosts :
       {"127.0.0.1:1," + server.address(), server.address() + ",127.0.0.1:1"}) {
    holdfast.set("HOLDFAST_URL=etcd://" + hosts);
    const Outcome outcome = holdfast({"run", "job", "--", "true"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(holdfast({"show", "--engine"}).out, HasSubstr(" survives"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Etcd, BadUrlTest,
    testing::Values(BadUrl{"etcd://127.0.0.1?color=red", 78, "color"},
                    BadUrl{"etcd://127.0.0.1?names=short", 78, "names"},
                    BadUrl{"etcd://127.0.0.1?hand_over=perhaps", 78, "hand_over"},
                    BadUrl{"etcd://127.0.0.1?password_file=", 78, "password_file"},
                    BadUrl{"etcd://127.0.0.1?ca=/some/file", 78, "etcds://"},
                    BadUrl{"etcds://127.0.0.1?cert=/some/file", 78, "?key="},
                    BadUrl{"etcds://127.0.0.1?server_name=", 78, "server_name"},
                    BadUrl{"etcds://127.0.0.1?ca=/no/such/file", 77, "/no/such/file"},
                    BadUrl{"etcd://127.0.0.1/a%00b", 78, "/app/locks"},
                    BadUrl{"etcd://127.0.0.1:99999", 78, "port"},
                    BadUrl{"etcd://h1:1,:2", 78, "host"},
                    BadUrl{"etcd://:c4n4ry@127.0.0.1", 78, "user"},
                    BadUrl{"etcd://no-such-host.invalid", 69, "no-such-host.invalid"},
                    BadUrl{"etcd://ann:c4n4ry@127.0.0.1:1,127.0.0.1:2", 69,
                           "127.0.0.1:2"},
                    BadUrl{"etcds://ann:c4n4ry@127.0.0.1:1", 69, "127.0.0.1:1"}));

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Whatever answers at the port, opening a client ends in good time with one clear
// sentence.

#include <gtest/gtest.h>

#include <string>

#include "faults/etcd/ground.h"
#include "faults/stranger.h"
#include "support/free_port.h"

namespace holdfast::test {
namespace {

// gRPC cannot always tell a server that is not etcd from one that does not answer.
void expect_no_etcd(const Stranger& stranger) {
  const Failure failure = clear_failure("etcd://" + stranger.at(), stranger.at());
  EXPECT_TRUE(failure.code == Errc::unavailable || failure.code == Errc::incompatible)
      << failure.message();
}

TEST(EtcdPort, NoServer) {
  const std::string at = "127.0.0.1:" + std::to_string(free_port());
  const Failure failure = clear_failure("etcd://" + at, at);
  EXPECT_EQ(failure.code, Errc::unavailable) << failure.message();
  EXPECT_NE(failure.message().find("refused"), std::string::npos) << failure.message();
}

TEST(EtcdPort, AHostThatDoesNotExist) {
  const std::string at = "no-such-host.invalid";
  EXPECT_EQ(clear_failure("etcd://" + at, at).code, Errc::unavailable);
}

TEST(EtcdPort, AWebServer) {
  expect_no_etcd({"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", After::close,
                  Speaks::second});
}

TEST(EtcdPort, Garbage) { expect_no_etcd({noise(), After::keep, Speaks::second}); }
TEST(EtcdPort, ASilentServer) { expect_no_etcd({"", After::keep, Speaks::first}); }
TEST(EtcdPort, AServerThatHangsUp) {
  expect_no_etcd({"", After::close, Speaks::first});
}

}  // namespace
}  // namespace holdfast::test

// Whatever answers at the port, or does not: it ends in good time, in one sentence.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "faults/etcd/ground.h"
#include "faults/stranger.h"
#include "holdfast/mutex.h"
#include "support/fault_proxy.h"
#include "support/free_port.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

Failure failure_of(const Stranger& stranger) {
  const auto start = Clock::now();
  Failure failure = first_failure("etcd://" + stranger.at());
  EXPECT_LT(Clock::now() - start, patience() / 2);
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr(stranger.at()));
  return failure;
}

// gRPC does not always tell what is there from what does not answer.
bool is_no_etcd(const Failure& failure) {
  return failure.code == Errc::unavailable || failure.code == Errc::incompatible;
}

TEST(EtcdPort, Nobody) {
  const std::string at = "127.0.0.1:" + std::to_string(free_port());
  const Failure failure = first_failure("etcd://" + at);
  EXPECT_EQ(failure.code, Errc::unavailable) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr(at));
  EXPECT_THAT(failure.message(), HasSubstr("refused"));
}

TEST(EtcdPort, AHostThatDoesNotExist) {
  const Failure failure = first_failure("etcd://no-such-host.invalid");
  EXPECT_EQ(failure.code, Errc::unavailable) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr("no-such-host.invalid"));
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
}

TEST(EtcdPort, AWebServer) {
  const Stranger web("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
                     After::close, Speaks::second);
  EXPECT_TRUE(is_no_etcd(failure_of(web)));
}

TEST(EtcdPort, Garbage) {
  const Stranger garbage(noise(), After::keep, Speaks::second);
  EXPECT_TRUE(is_no_etcd(failure_of(garbage)));
}

TEST(EtcdPort, SomebodySilent) {
  const Stranger silent("", After::keep, Speaks::first);
  EXPECT_TRUE(is_no_etcd(failure_of(silent)));
}

TEST(EtcdPort, SomebodyWhoHangsUp) {
  const Stranger rude("", After::close, Speaks::first);
  EXPECT_TRUE(is_no_etcd(failure_of(rude)));
}

TEST(EtcdPort, AServerThatFallsSilent) {
  const EtcdServer server;
  FaultProxy line(server.port(), Protocol::etcd);
  const Client client = open_quietly(line.url());
  Mutex mutex(client, "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  line.freeze();
  const auto start = Clock::now();
  const auto refused = mutex.acquire({.wait = scaled(500ms)});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().code, Errc::timed_out) << refused.error().message();
  EXPECT_LT(Clock::now() - start, patience() / 2);
  line.thaw();
  EXPECT_TRUE(mutex.acquire({.wait = patience()}));
}

}  // namespace
}  // namespace holdfast::test

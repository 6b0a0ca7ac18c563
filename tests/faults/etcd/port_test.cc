// Whatever answers at the port, or does not: it ends in good time, in one sentence.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <list>
#include <string>
#include <thread>

#include "faults/etcd/ground.h"
#include "holdfast/mutex.h"
#include "support/fault_proxy.h"
#include "support/free_port.h"
#include "support/here.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

enum class After { keep, close };

// Says the same to everybody as soon as he has spoken.
class Stranger {
 public:
  Stranger(std::string says, After after)
      : thread_([this, says = std::move(says), after](const std::stop_token& stop) {
          std::list<Socket> kept;
          while (!stop.stop_requested()) {
            Socket client = accept_on(listening_, 20);
            if (!client) continue;
            char heard[1024];
            if (!says.empty()) (void)!recv(client.fd(), heard, sizeof heard, 0);
            (void)!send(client.fd(), says.data(), says.size(), MSG_NOSIGNAL);
            if (after == After::keep) kept.push_back(std::move(client));
          }
        }) {}

  std::string at() const { return "127.0.0.1:" + std::to_string(port_of(listening_)); }

 private:
  const Socket listening_ = listen_here();
  std::jthread thread_;
};

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
                     After::close);
  EXPECT_TRUE(is_no_etcd(failure_of(web)));
}

TEST(EtcdPort, Garbage) {
  std::string noise;
  for (int i = 0; i < 4096; ++i) noise.push_back(static_cast<char>(i * 7 + i / 251));
  const Stranger garbage(noise, After::keep);
  EXPECT_TRUE(is_no_etcd(failure_of(garbage)));
}

TEST(EtcdPort, SomebodySilent) {
  const Stranger silent("", After::keep);
  EXPECT_TRUE(is_no_etcd(failure_of(silent)));
}

TEST(EtcdPort, SomebodyWhoHangsUp) {
  const Stranger rude("", After::close);
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

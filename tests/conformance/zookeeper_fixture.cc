// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <unistd.h>

#include <random>
#include <stdexcept>
#include <utility>

#include "conformance/fixtures.h"
#include "support/fault_proxy.h"
#include "support/zookeeper_server.h"
#include "support/zookeeper_shared.h"

namespace holdfast::test {
namespace {

// This server is for the tests of this process that restart it; the others share one
// with other processes.
ZookeeperServer& own_server() {
  static ZookeeperServer only;
  return only;
}

bool restarts_it() {
  const testing::TestInfo* const test =
      testing::UnitTest::GetInstance()->current_test_info();
  return std::string_view(test->test_suite_name()).ends_with("Restarts");
}

// Returns a path of this test alone, which does not exist yet.
std::string chroot() {
  return "/test-" + std::to_string(getpid()) + "-" +
         std::to_string(std::random_device()());
}

class Zookeeper : public EngineUnderTest, public Faults {
 public:
  Client open(ClientOptions options) override {
    return Client::open(line_.url(chroot_ + ZookeeperServer::kTickOption),
                        std::move(options))
        .value();
  }
  std::string url() const override {
    return "zookeeper://127.0.0.1:" + std::to_string(port_) + chroot_ +
           ZookeeperServer::kTickOption;
  }
  Client open_sharing(ClientOptions options) override {
    return Client::open(
               line_.url(chroot_ + ZookeeperServer::kTickOption) + "&hand_over=yes",
               std::move(options))
        .value();
  }
  std::string url_with(std::string_view password) override {
    return with_user(line_.url(chroot_ + ZookeeperServer::kTickOption), password);
  }
  // The server gives no session for so long.
  std::string arrange_warning(ClientOptions& options) override {
    options.ttl = std::chrono::minutes(30);
    return "allows sessions of";
  }
  Faults* faults() noexcept override { return this; }
  bool restart() override {
    if (!owned_) throw std::logic_error("others use this server too");
    // ZooKeeper 3.8 may forget a client that connects while it starts; that client then
    // waits for a third of its session.
    line_.unreachable(true);
    own_server().stop();
    own_server().start();
    line_.unreachable(false);
    return true;
  }

  void lose_replies(int calls) override { line_.lose_replies(calls); }
  void lose_requests(int calls) override { line_.lose_requests(calls); }
  void unreachable(bool on) override { line_.unreachable(on); }

 private:
  const bool owned_ = restarts_it();
  const std::uint16_t port_ = owned_ ? own_server().port() : shared_zookeeper();
  const std::string chroot_ = chroot();
  FaultProxy line_{port_, Protocol::zookeeper};
};

}  // namespace

std::unique_ptr<EngineUnderTest> make_zookeeper() {
  return std::make_unique<Zookeeper>();
}

}  // namespace holdfast::test

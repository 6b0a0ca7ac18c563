// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>
#include <vector>

#include "conformance/fixtures.h"
#include "conformance/redis_settings.h"
#include "support/fault_proxy.h"
#include "support/redis_cluster.h"

namespace holdfast::test {
namespace {

constexpr std::size_t kPrimaries = 3;

// There is one cluster for all tests of this process.
RedisCluster& cluster() {
  // Without the first line the engine would warn.
  static RedisCluster only(kPrimaries, 1, {"save 3600 1"});
  return only;
}

// Each primary has a line with faults to it. The servers announce themselves by their
// own addresses, so the clients have to be told where the lines are.
class RedisClusterUnderTest : public EngineUnderTest, public Faults {
 public:
  RedisClusterUnderTest() {
    for (std::size_t i = 0; i < cluster().size(); ++i) {
      if (is_primary(i)) cluster()[i].command({"FLUSHALL"});
      lines_.push_back(std::make_unique<FaultProxy>(cluster()[i].port()));
    }
  }

  Client open(ClientOptions options) override {
    // Each primary has a replica, and the engine would warn of that.
    if (!options.log) options.log = [](LogLevel, std::string_view) {};
    return Client::open(url_of_lines(), options).value();
  }
  std::string url_with(std::string_view password) override {
    for (std::size_t i = 0; i < cluster().size(); ++i) let_ann_in(cluster()[i]);
    return with_user(url_of_lines(), password);
  }
  std::string arrange_warning(ClientOptions&) override {
    for (std::size_t i = 0; i < cluster().size() && !may_evict_; ++i) {
      if (is_primary(i)) may_evict_.emplace(cluster()[i]);
    }
    return MayEvict::kWarning;
  }
  std::string url() const override { return cluster().url(); }
  Faults* faults() noexcept override { return this; }
  bool restart() override {
    for (std::size_t i = 0; i < cluster().size(); ++i) cluster()[i].stop();
    for (std::size_t i = 0; i < cluster().size(); ++i) cluster()[i].start();
    cluster().expect_whole();
    return true;
  }

  void lose_replies(int calls) override {
    for (const auto& each : lines_) each->lose_replies(calls);
  }
  void lose_requests(int calls) override {
    for (const auto& each : lines_) each->lose_requests(calls);
  }
  void unreachable(bool on) override {
    for (const auto& each : lines_) each->unreachable(on);
  }

 private:
  static std::string address(std::uint16_t port) {
    return "127.0.0.1:" + std::to_string(port);
  }

  // A server that was a replica may have taken over in an earlier case.
  static bool is_primary(std::size_t i) {
    return cluster()[i].command({"ROLE"}).starts_with("master");
  }

  std::string url_of_lines() const {
    std::string nat;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      nat += (i == 0 ? "?nat=" : ",") + address(cluster()[i].port()) + "=" +
             address(lines_[i]->port());
    }
    return "redis+cluster://" + address(lines_[0]->port()) + "," +
           address(lines_[1]->port()) + nat;
  }

  std::vector<std::unique_ptr<FaultProxy>> lines_;
  std::optional<MayEvict> may_evict_;
};

}  // namespace

std::unique_ptr<EngineUnderTest> make_redis_cluster() {
  return std::make_unique<RedisClusterUnderTest>();
}

}  // namespace holdfast::test

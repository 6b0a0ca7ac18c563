// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>
#include <vector>

#include "conformance/fixtures.h"
#include "conformance/redis_settings.h"
#include "support/fault_proxy.h"
#include "support/redis_sentinel.h"

namespace holdfast::test {
namespace {

constexpr std::size_t kReplicas = 1;

// There is one group for all tests of this process, with a database for each test.
RedisSentinel& group() {
  // Without the first line the engine would warn. The second one keeps the sentinels
  // from a failover that no test has asked for, however slow the machine is.
  static RedisSentinel only(
      {.servers = {"save 3600 1"},
       .sentinels = {"sentinel down-after-milliseconds " +
                     std::string(RedisSentinel::kName) + " 600000"}},
      kReplicas);
  return only;
}

// Each server has a line with faults to it. The sentinels name the servers by their own
// addresses, so the clients have to be told where the lines are.
class RedisSentinelUnderTest : public EngineUnderTest, public Faults {
 public:
  RedisSentinelUnderTest() : db_(std::to_string(next_database())) {
    RedisSocket redis(group()[group().primary()].port());
    redis.call({"SELECT", db_});
    redis.call({"FLUSHDB"});
    for (std::size_t i = 0; i < group().size(); ++i) {
      lines_.push_back(std::make_unique<FaultProxy>(group()[i].port()));
    }
  }

  Client open(ClientOptions options) override {
    // The primary has replicas, and the engine would warn of that.
    if (!options.log) options.log = [](LogLevel, std::string_view) {};
    return Client::open(url_of_lines(), options).value();
  }
  std::string url_with(std::string_view password) override {
    for (std::size_t i = 0; i < group().size(); ++i) let_ann_in(group()[i]);
    return with_user(url_of_lines(), password);
  }
  std::string arrange_warning(ClientOptions&) override {
    may_evict_.emplace(group()[group().primary()]);
    return MayEvict::kWarning;
  }
  std::string url() const override { return group().url("?db=" + db_); }
  Faults* faults() noexcept override { return this; }

  // It is a failover. What the primary has confirmed is at the replica by then.
  bool restart() override {
    group().expect_replicated();
    group().fail_over();
    group().expect_whole();
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
  static int next_database() {
    static int last = 0;
    return last++ % 16;
  }
  static std::string address(std::uint16_t port) {
    return "127.0.0.1:" + std::to_string(port);
  }

  std::string url_of_lines() const {
    std::string nat;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      nat += (i == 0 ? "&nat=" : ",") + address(group()[i].port()) + "=" +
             address(lines_[i]->port());
    }
    return url() + nat;
  }

  const std::string db_;
  std::vector<std::unique_ptr<FaultProxy>> lines_;
  std::optional<MayEvict> may_evict_;
};

}  // namespace

std::unique_ptr<EngineUnderTest> make_redis_sentinel() {
  return std::make_unique<RedisSentinelUnderTest>();
}

}  // namespace holdfast::test

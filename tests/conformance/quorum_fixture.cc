// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <optional>
#include <utility>

#include "conformance/exceptions.h"
#include "conformance/fixtures.h"
#include "conformance/redis_settings.h"
#include "support/fault_proxy.h"
#include "support/redis_server.h"

namespace holdfast::test {
namespace {

constexpr std::size_t kNodes = 3;

// All tests of this process use these servers, with a database for each test.
std::array<RedisServer, kNodes>& servers() {
  static std::array<RedisServer, kNodes> all{
      RedisServer({"save 3600 1"}),  // Without it the engine would warn.
      RedisServer({"save 3600 1"}), RedisServer({"save 3600 1"})};
  return all;
}

class Quorum : public EngineUnderTest, public Faults {
 public:
  Quorum() : database_("/" + std::to_string(next_database())) {
    for (const RedisServer& each : servers()) {
      RedisSocket redis(each.port());
      redis.call({"SELECT", database_.substr(1)});
      redis.call({"FLUSHDB"});
    }
  }

  Client open(ClientOptions options) override {
    return Client::open(url_of(lines_), options).value();
  }
  std::string url() const override { return url_of(servers()); }
  std::string url_with(std::string_view password) override {
    std::string url;
    for (std::size_t i = 0; i < kNodes; ++i) {
      let_ann_in(servers()[i]);
      url += (url.empty() ? "quorum:" : ",") +
             with_user(lines_[i].url(database_), password);
    }
    return url;
  }
  std::string arrange_warning(ClientOptions&) override {
    may_evict_.emplace(servers()[1]);
    return MayEvict::kWarning;
  }
  Faults* faults() noexcept override { return this; }

  void lose_replies(int calls) override {
    for (FaultProxy& each : lines_) each.lose_replies(calls);
  }
  void lose_requests(int calls) override {
    for (FaultProxy& each : lines_) each.lose_requests(calls);
  }
  void unreachable(bool on) override {
    for (FaultProxy& each : lines_) each.unreachable(on);
  }

 private:
  static int next_database() {
    static int last = 0;
    return last++ % 16;
  }

  template <class Nodes>
  std::string url_of(const Nodes& nodes) const {
    std::string url;
    for (const auto& each : nodes) {
      url += (url.empty() ? "quorum:" : ",") + each.url(database_);
    }
    return url;
  }

  const std::string database_;
  std::array<FaultProxy, kNodes> lines_{FaultProxy(servers()[0].port()),
                                        FaultProxy(servers()[1].port()),
                                        FaultProxy(servers()[2].port())};
  std::optional<MayEvict> may_evict_;
};

}  // namespace

std::unique_ptr<EngineUnderTest> make_quorum() {
  skip_if_excepted("quorum");
  return std::make_unique<Quorum>();
}

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <utility>

#include "conformance/fixtures.h"
#include "conformance/redis_settings.h"
#include "support/fault_proxy.h"
#include "support/redis_server.h"

namespace holdfast::test {
namespace {

// There is one server for all tests of this process, with a database for each test.
RedisServer& server() {
  static RedisServer only({"save 3600 1"});  // Without it the engine would warn.
  return only;
}

class Redis : public EngineUnderTest, public Faults {
 public:
  explicit Redis(const std::string& query = {})
      : database_("/" + std::to_string(next_database())), query_(query) {
    RedisSocket redis(server().port());
    redis.call({"SELECT", database_.substr(1)});
    redis.call({"FLUSHDB"});
  }

  Client open(ClientOptions options) override {
    return Client::open(line_.url(database_ + query_), options).value();
  }
  std::string url() const override { return server().url(database_ + query_); }
  std::string url_with(std::string_view password) override {
    let_ann_in(server());
    return with_user(line_.url(database_ + query_), password);
  }
  std::string arrange_warning(ClientOptions&) override {
    may_evict_.emplace(server());
    return MayEvict::kWarning;
  }
  Faults* faults() noexcept override { return this; }
  bool restart() override {
    server().stop();
    server().start();
    return true;
  }

  void lose_replies(int calls) override { line_.lose_replies(calls); }
  void lose_requests(int calls) override { line_.lose_requests(calls); }
  void unreachable(bool on) override { line_.unreachable(on); }

 private:
  static int next_database() {
    static int last = 0;
    return last++ % 16;
  }

  const std::string database_;
  const std::string query_;
  FaultProxy line_{server().port()};
  std::optional<MayEvict> may_evict_;
};

}  // namespace

std::unique_ptr<EngineUnderTest> make_redis() { return std::make_unique<Redis>(); }

std::unique_ptr<EngineUnderTest> make_redis_string() {
  return std::make_unique<Redis>("?layout=string");
}

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <utility>

#include "conformance/exceptions.h"
#include "conformance/fixtures.h"
#include "support/fault_proxy.h"
#include "support/mysql_server.h"

namespace holdfast::test {
namespace {

// There is one server for all tests of this process, with a database for each test.
MysqlServer& server() {
  static MysqlServer only;
  return only;
}

std::string next_database() {
  static int last = 0;
  const std::string name = "test_" + std::to_string(++last);
  server().make_database(name);
  return name;
}

// As long as the object lives, the server may lose what it has confirmed.
class MayForget {
 public:
  MayForget() { set("2"); }
  ~MayForget() { set("1"); }
  MayForget(const MayForget&) = delete;
  MayForget& operator=(const MayForget&) = delete;

 private:
  static void set(const std::string& value) {
    server().shell().run("SET GLOBAL innodb_flush_log_at_trx_commit = " + value);
  }
};

class Mysql : public EngineUnderTest, public Faults {
 public:
  explicit Mysql(const std::string& query = {})
      : database_("/" + next_database() + query) {}

  Client open(ClientOptions options) override {
    return Client::open(server().url(database_, line_.port()), options).value();
  }
  std::string url() const override { return server().url(database_); }
  // Every user of these tests has a password.
  std::string url_with(std::string_view password) override {
    std::string url = server().url(database_, line_.port());
    return url.replace(url.find(kSecret), kSecret.size(), password);
  }
  std::string arrange_warning(ClientOptions&) override {
    may_forget_.emplace();
    return "innodb_flush_log_at_trx_commit";
  }
  Faults* faults() noexcept override { return this; }
  bool restart() override {
    server().kill();
    server().start();
    return true;
  }

  void lose_replies(int calls) override { line_.lose_replies(calls); }
  void lose_requests(int calls) override { line_.lose_requests(calls); }
  void unreachable(bool on) override { line_.unreachable(on); }

 private:
  const std::string database_;
  FaultProxy line_{server().port(), Protocol::mysql};
  std::optional<MayForget> may_forget_;
};

}  // namespace

std::unique_ptr<EngineUnderTest> make_mysql() {
  skip_if_excepted("mysql");
  return std::make_unique<Mysql>();
}

std::unique_ptr<EngineUnderTest> make_mysql_rows() {
  skip_if_excepted("mysql_rows");
  return std::make_unique<Mysql>("?mode=rows");
}

}  // namespace holdfast::test

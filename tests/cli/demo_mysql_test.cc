// SPDX-License-Identifier: Apache-2.0

// The flash sale with its stock in MariaDB.

#include <gmock/gmock.h>

#include <regex>

#include "cli/program.h"
#include "support/eventually.h"
#include "support/mysql_server.h"

namespace holdfast::test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class DemoMysql : public testing::Test {
 protected:
  DemoMysql() {
    server_.make_database("shop");
    server_.shell().run(
        "GRANT CREATE, DROP, SELECT, INSERT, UPDATE ON shop.* TO holdfast");
  }

  // Runs a small sale with the stock at `store`.
  Outcome sell(const std::string& store) {
    holdfast_.set("HOLDFAST_DEMO_STORE=" + store);
    return holdfast_(kSale);
  }

  static std::vector<std::string> oversold(const std::string& json) {
    static const std::regex figure(R"re("oversold": (-?\d+))re");
    std::vector<std::string> all;
    for (std::sregex_iterator it(json.begin(), json.end(), figure), end; it != end;
         ++it) {
      all.push_back((*it)[1]);
    }
    return all;
  }

  long tables() {
    return server_.shell().number(
        "SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'db_stock'");
  }

  static inline const std::vector<std::string> kSale = {
      "demo", "--stock", "120", "--shops", "2", "--threads", "4", "--json"};

  MysqlServer server_;
  Program holdfast_;
  const std::string canary_{MysqlServer::kPassword};
};

TEST_F(DemoMysql, SellsWhatIsThereAndClearsAway) {
  const Outcome sale = sell(server_.url("/shop"));
  ASSERT_EQ(sale.code, 0) << sale.err;
  EXPECT_THAT(sale.out, HasSubstr(R"("store": "mysql")"));
  EXPECT_THAT(sale.out, HasSubstr("pessimistic FOR UPDATE"));
  EXPECT_THAT(sale.out + sale.err, Not(HasSubstr(canary_)));
  const auto figures = oversold(sale.out);
  ASSERT_THAT(figures, SizeIs(7));  // six ways, and the crash
  EXPECT_THAT(std::vector(figures.begin() + 2, figures.end()), Each("0"));
  EXPECT_EQ(tables(), 0);
}

TEST_F(DemoMysql, LocksWhereTheStockIs) {
  holdfast_.set("HOLDFAST_URL=" + server_.url("/shop"));
  const Outcome sale = sell(server_.url("/shop"));
  EXPECT_EQ(sale.code, 0) << sale.err;
}

TEST_F(DemoMysql, WorksOverASocket) {
  const Outcome sale =
      sell("mysql://holdfast:" + canary_ + "@/shop?socket=" + server_.socket());
  EXPECT_EQ(sale.code, 0) << sale.err;
}

TEST_F(DemoMysql, LeavesAForeignTableAlone) {
  server_.shell().run(
      "CREATE TABLE shop.db_stock (id INT); INSERT INTO shop.db_stock VALUES (7)");
  const Outcome sale = sell(server_.url("/shop"));
  EXPECT_EQ(sale.code, 73);
  EXPECT_THAT(sale.err, HasSubstr("not the demo's"));
  EXPECT_EQ(server_.shell().number("SELECT id FROM shop.db_stock"), 7);
}

TEST_F(DemoMysql, ShowsNoPasswordInTheListOfProcesses) {
  holdfast_.set("HOLDFAST_DEMO_STORE=" + server_.url("/shop"));
  const Process sale = holdfast_.start(kSale);
  std::vector<pid_t> shops;
  ASSERT_TRUE(eventually([&] { return !(shops = children_of(sale.pid())).empty(); }));
  for (const pid_t shop : shops) {
    const std::string words = contents("/proc/" + std::to_string(shop) + "/cmdline");
    EXPECT_THAT(words, Not(HasSubstr(canary_)));
  }
}

struct Mistake {
  std::string store;
  int code;
  std::string says;
};

TEST_F(DemoMysql, IsRefusedInOneSentence) {
  const std::string port = std::to_string(server_.port());
  for (const Mistake& each : {
           Mistake{"mysql://holdfast:wr0ng@127.0.0.1:" + port + "/shop", 77, "denied"},
           Mistake{"mysql://holdfast:" + canary_ + "@127.0.0.1:1/shop", 69, "stock"},
           Mistake{"mysql://holdfast:" + canary_ + "@127.0.0.1", 78, "database"},
           Mistake{"mysql://holdfast:" + canary_ + "@127.0.0.1/shop?x=1", 78, "option"},
           Mistake{"mysql://holdfast:" + canary_ + "@127.0.0.1:x/shop", 78, "number"},
           Mistake{"redis://:" + canary_ + "@127.0.0.1", 78, "mysql://"},
       }) {
    const Outcome sale = sell(each.store);
    EXPECT_EQ(sale.code, each.code) << sale.err;
    EXPECT_THAT(sale.err, AllOf(HasSubstr("holdfast demo: "), HasSubstr(each.says),
                                Not(HasSubstr(canary_)), Not(HasSubstr("wr0ng"))));
    EXPECT_EQ(std::ranges::count(sale.err, '\n'), 1) << sale.err;
  }
}

}  // namespace
}  // namespace holdfast::test

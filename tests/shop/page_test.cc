// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "live/board.h"
#include "live/watcher.h"
#include "page/face.h"
#include "report/document.h"
#include "report/json.h"
#include "report/text.h"
#include "servers/temp_dir.h"
#include "support/scale.h"

namespace holdfast::shop {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ShopText, IsSafeInJson) {
  EXPECT_EQ(json_string("a\"b\\c\n"), R"("a\"b\\c\u000a")");
  EXPECT_EQ(json_string("</script>"), R"("\u003c/script>")");
}

TEST(ShopText, IsSafeInHtml) {
  EXPECT_EQ(html_text(R"(<a href="x">&)"), "&lt;a href=&quot;x&quot;&gt;&amp;");
}

TEST(ShopText, GroupsNumbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567.891, 2), "-1,234,567.89");
  EXPECT_EQ(ms_text(0.123), "0.12");
  EXPECT_EQ(ms_text(1234.56), "1,234.6");
}

TEST(ShopPresence, KnowsHowManyWereInsideAtOnce) {
  const TempDir dir;
  const PresenceFile one(dir.path() + "/presence");
  const PresenceFile same(dir.path() + "/presence");
  one->enter(one->services[0]);
  same->enter(same->services[1]);
  one->leave(one->services[0]);
  same->leave(same->services[1]);
  one->enter(one->services[0]);
  EXPECT_EQ(same->inside, 1);
  EXPECT_EQ(same->services[0].inside, 1);
  EXPECT_EQ(same->most, 2);
}

const std::string kEvil = "<script>alert(1)</script>";

Run small_run() {
  Run run{.command = "holdfast-shop --report '" + kEvil + "'",
          .machine = {.processor = kEvil, .cores = 2},
          .options = {.stock = 10},
          .plan = {&strategy_named("no-lock"), &strategy_named("holdfast-local")}};
  return run;
}

SaleResult small_sale(const char* name, int left) {
  SaleResult sale;
  sale.strategy = &strategy_named(name);
  sale.services = 3;
  sale.load.latency.record(std::chrono::microseconds(1500), 10);
  sale.load.sold = 10;
  sale.load.seconds = 0.5;
  sale.load.first_error = kEvil;
  sale.left = left;
  sale.oversold = oversold(10, left, sale.load.sold);
  return sale;
}

Run small_run_that_is_over() {
  Board board(small_run());
  board.begin_sale();
  board.end_sale(small_sale("no-lock", 4));
  board.begin_sale();
  board.end_sale(small_sale("holdfast-local", 0));
  board.add(SceneResult{
      .scene = &scenes().front(), .hole_shown = true, .holdfast_whole = true});
  return board.run();
}

TEST(ShopReport, HasTheFiguresOfTheRun) {
  const std::string html = report_html(small_run_that_is_over());
  EXPECT_THAT(html,
              AllOf(HasSubstr("1 of 2 strategies"), HasSubstr("no-lock (4 items)"),
                    HasSubstr("<td class=\"bad\">4</td>"), HasSubstr("v1-stack"),
                    HasSubstr("Which engine?"), HasSubstr("<b>20</b> /s")));
}

TEST(ShopReport, RunsNothingAndNeedsNothing) {
  const std::string html = report_html(small_run_that_is_over());
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)"));
  for (const char* const outside : {"http://", "https://", "src=", "@import", "url("}) {
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  }
}

TEST(ShopReport, CanBeOfARunThatSoldNothing) {
  EXPECT_THAT(report_html(small_run()), HasSubstr("0 of 0 strategies"));
}

TEST(ShopBoard, TellsTheMomentsOnce) {
  Board board(small_run());
  EXPECT_THAT(board.state_json(0), HasSubstr("\"phase\":\"opening\""));
  board.begin_sale();
  board.add(Moment{.seconds = 0.25, .left = 9, .sold = 1, .services = {{1, 3}}});
  EXPECT_THAT(board.state_json(1),
              AllOf(HasSubstr("\"phase\":\"selling\""), HasSubstr("\"moment\":2"),
                    HasSubstr("[0,0.25,9,1,0,0,0.00,0.00,0.00,[[1,3]]]"),
                    Not(HasSubstr("[0,0.00,10"))));
  board.end_sale(small_sale("no-lock", 4));
  EXPECT_THAT(board.state_json(2),
              AllOf(HasSubstr("\"strategies\":1"), HasSubstr("[0,0.50,4,10,")));
  EXPECT_THAT(board.state_json(1'000'000), HasSubstr("\"moments\":[]"));
}

class ShopFace : public ::testing::Test {
 protected:
  HttpResponse get(const std::string& target) {
    return face_.answer({.method = "GET", .target = target, .host = "127.0.0.1:80"});
  }

  Board board_{small_run()};
  Face face_{board_};
};

TEST_F(ShopFace, ServesThePageAndItsFiles) {
  EXPECT_THAT(get("/").body, HasSubstr("<title>Holdfast shop</title>"));
  EXPECT_THAT(get("/").policy,
              AllOf(HasSubstr("default-src 'none'"), HasSubstr("script-src 'self'"),
                    Not(HasSubstr("unsafe"))));
  for (const char* const file : {"/page.css", "/page.js", "/icon.svg", "/run.json",
                                 "/state.json", "/result.json", "/report"}) {
    EXPECT_EQ(get(file).status, 200) << file;
  }
  EXPECT_THAT(get("/run.json").body, Not(HasSubstr("<script")));
}

TEST_F(ShopFace, RefusesWhatItDoesNotHave) {
  for (const std::string target :
       {"/nothing", "/../etc/passwd", "//", "", "/state.json/", "/page.css%00"}) {
    const HttpResponse response = get(target);
    EXPECT_EQ(response.status, 404) << target;
    EXPECT_THAT(response.type, HasSubstr("text/plain"));
  }
  EXPECT_EQ(get("/state.json?from=-1").status, 200);
  EXPECT_EQ(get("/state.json?from=99999999999999999999").status, 200);
  EXPECT_EQ(
      face_.answer({.method = "POST", .target = "/", .host = "localhost:1"}).status,
      405);
}

TEST_F(ShopFace, IsNotForPagesOfOtherSites) {
  const HttpRequest rebound{
      .method = "GET", .target = "/run.json", .host = "evil.example:80"};
  EXPECT_EQ(face_.answer(rebound).status, 403);
  const HttpRequest crossed{.method = "POST",
                            .target = "/try/lock",
                            .host = "127.0.0.1:80",
                            .origin = "http://evil.example"};
  EXPECT_EQ(face_.answer(crossed).status, 403);
}

TEST_F(ShopFace, TriesOnlyInAShopThatIsKept) {
  EXPECT_EQ(get("/try.json").body, "null\n");
  EXPECT_EQ(get("/try/lock").status, 405);
  const HttpRequest lock{
      .method = "POST", .target = "/try/lock", .host = "localhost:80"};
  EXPECT_EQ(face_.answer(lock).status, 409);
  {
    TryOut tries(1);  // Nothing listens on port 1.
    face_.set_tries(&tries);
    EXPECT_EQ(face_.answer(lock).status, 200);
    for (const char* const target :
         {"/try/nothing", "/try/lock?times=0", "/try/lock?times=999"}) {
      EXPECT_EQ(face_.answer({.method = "POST", .target = target, .host = "localhost"})
                    .status,
                400)
          << target;
    }
    face_.set_tries(nullptr);
  }
  EXPECT_EQ(face_.answer(lock).status, 409);
}

// What was sold and what is left are not read at the same instant.
TEST(ShopWatcher, NeverSeesAGoodStrategyOversell) {
  const TempDir dir;
  Servers servers(dir.path());
  const SaleOptions options{.program = HOLDFAST_SHOP,
                            .users = 30,
                            .requests = 100,
                            .stock = 2500,
                            .limit = test::scaled(std::chrono::seconds(10))};
  Board board({.command = "",
               .machine = {},
               .options = options,
               .plan = {&strategy_named("holdfast-local")}});
  SaleResult sale;
  {
    Watcher watcher(board);
    sale = run_sale(servers, dir.path(), strategy_named("holdfast-local"), options,
                    watcher.observer());
  }
  EXPECT_EQ(sale.most_inside, 1);
  EXPECT_GT(sale.alone.count(), 0U);
  board.end_sale(std::move(sale));
  const auto over = board.run();
  ASSERT_GT(over.moments.size(), 2U);
  EXPECT_EQ(over.moments.front().left, options.stock);
  for (const Moment& moment : over.moments) {
    EXPECT_EQ(oversold(options.stock, moment.left, moment.sold), 0);
    int inside = 0;
    for (const Moment::Service& service : moment.services) inside += service.inside;
    EXPECT_LE(inside, 1);
  }
  EXPECT_EQ(over.moments.back().left, over.sales.front().left);
  EXPECT_EQ(over.moments.back().sold, over.sales.front().load.sold);
}

}  // namespace
}  // namespace holdfast::shop

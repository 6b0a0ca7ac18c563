// SPDX-License-Identifier: Apache-2.0

#include "service/test_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <thread>

#include "places.h"
#include "servers/child.h"
#include "servers/temp_dir.h"
#include "service/service.h"
#include "shop/raw_client.h"
#include "support/eventually.h"

namespace holdfast::shop {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using ::testing::HasSubstr;
using ::testing::Not;

using PageClock = std::chrono::steady_clock;

int occurrences(const std::string& text, const std::string& word) {
  int count = 0;
  for (std::size_t at = text.find(word); at != text.npos;
       at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

const std::string kIn = "\"state\":\"in\"";
const std::string kWaiting = "\"state\":\"waiting\"";

// Two services with one engine.
class ShopTestPages : public ::testing::Test {
 protected:
  static HttpResponse get(TestPages& pages, const std::string& target) {
    return pages.answer({.method = "GET", .target = target, .body = {}});
  }
  std::future<HttpResponse> start(TestPages& pages, const std::string& target) {
    return std::async(std::launch::async,
                      [&pages, target] { return get(pages, target); });
  }
  std::string state() { return get(second_, "/test/state").body; }
  bool soon_in_state(const std::string& word, int times) {
    return eventually([&] { return occurrences(state(), word) == times; });
  }

  const TempDir dir_;
  TestPages first_{"local://" + dir_.file("locks"), "service 1"};
  TestPages second_{"local://" + dir_.file("locks"), "service 2"};
};

TEST_F(ShopTestPages, LetOneInAtATime) {
  const std::string lease = "lease_ms=" + std::to_string(test::scaled(300ms).count());
  const auto begin = PageClock::now();
  const HttpResponse anna = get(first_, "/test/lock?client=anna&" + lease);
  EXPECT_EQ(anna.status, 200);
  EXPECT_THAT(anna.body, HasSubstr(R"({"name":"lock","state":"in","client":"anna")"));
  const HttpResponse bob = get(second_, "/test/lock?client=bob&" + lease);
  EXPECT_THAT(bob.body, HasSubstr(R"("client":"bob")"));
  EXPECT_GE(PageClock::now() - begin, test::scaled(290ms)) << "the lease has to end";
}

TEST_F(ShopTestPages, ShowTheVisitorsOfAllServices) {
  EXPECT_EQ(state(), "{\"visits\":[],\"latch_left\":0}\n");
  get(first_, "/test/write?client=anna");
  auto bob = start(second_, "/test/read?client=bob");
  auto eve = start(first_, "/test/read");
  EXPECT_TRUE(soon_in_state(kWaiting, 2));
  EXPECT_THAT(state(), HasSubstr(R"({"name":"write","state":"in","client":"anna")"));
  EXPECT_THAT(state(), HasSubstr(R"({"name":"read","state":"waiting","client":"bob")"));
  EXPECT_THAT(state(), HasSubstr("service 1, visitor 1"));
  first_.close();
  second_.close();
  EXPECT_EQ(bob.get().status, 503) << "a service that ends sends its visitors away";
  EXPECT_EQ(eve.get().status, 503);
}

TEST_F(ShopTestPages, LetReadersInTogetherAndAWriterAlone) {
  EXPECT_EQ(get(first_, "/test/read").status, 200);
  EXPECT_EQ(get(second_, "/test/read").status, 200) << "at once";
  auto writer = start(first_, "/test/write");
  EXPECT_TRUE(soon_in_state(kWaiting, 1));
  EXPECT_EQ(occurrences(state(), kIn), 2);
  first_.close();
  EXPECT_EQ(writer.get().status, 503);
}

TEST_F(ShopTestPages, OpenTheLatchAfterSixCounts) {
  auto waiter = start(first_, "/test/latch?client=the+last+one");
  EXPECT_TRUE(soon_in_state(R"("name":"latch","state":"waiting")", 1));
  for (int left = 5; left >= 0; --left) {
    EXPECT_EQ(waiter.wait_for(0s), std::future_status::timeout) << left;
    EXPECT_THAT(get(second_, "/test/countdown").body,
                HasSubstr("\"left\":" + std::to_string(left) + "}"));
  }
  EXPECT_THAT(waiter.get().body,
              HasSubstr(R"("state":"done","client":"the last one")"));
  EXPECT_TRUE(soon_in_state("latch\",", 0));
}

TEST_F(ShopTestPages, TakeNamesForText) {
  const std::string name = "client=%3Cscript%3Ealert(1)%3C%2fscript%3E%00%1b%22";
  EXPECT_THAT(get(first_, "/test/lock?" + name).body, Not(HasSubstr("<")));
  EXPECT_THAT(state(), Not(HasSubstr("<")));
  EXPECT_THAT(state(), HasSubstr("script>alert(1)"));
  EXPECT_THAT(state(), HasSubstr("??\\\"")) << "control characters are not shown";
  EXPECT_EQ(get(first_, "/test/read?client=" + std::string(5000, 'a')).status, 200);
  EXPECT_THAT(state(), HasSubstr("\"" + std::string(64, 'a') + "\""));
}

TEST_F(ShopTestPages, RefuseWhatTheyDoNotHave) {
  for (const std::string target :
       {"/test/", "/test/nothing", "/test/lock/", "/test/?"}) {
    EXPECT_EQ(get(first_, target).status, 404) << target;
  }
  EXPECT_EQ(
      first_.answer({.method = "POST", .target = "/test/lock", .body = {}}).status,
      405);
  for (const std::string lease : {"", "-5", "abc", "99999999999", "1e3", "0"}) {
    TestPages pages("local://" + dir_.file("locks" + lease), "service");
    EXPECT_EQ(get(pages, "/test/lock?lease_ms=" + lease).status, 200) << lease;
  }
  TestPages nowhere("redis://127.0.0.1:1", "service");
  const HttpResponse refused = get(nowhere, "/test/lock");
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.type, HasSubstr("text/plain"));
}

TEST_F(ShopTestPages, ServeWhatTheirEngineHas) {
  std::string nodes;
  for (const std::string node : {"a", "b", "c"}) {
    nodes += (nodes.empty() ? "local://" : ",local://") + dir_.file(node);
  }
  TestPages quorum("quorum:" + nodes, "service");
  EXPECT_EQ(get(quorum, "/test/lock").status, 200);
  EXPECT_EQ(get(quorum, "/test/semaphore").status, 503);
  const HttpResponse now = get(quorum, "/test/state");
  EXPECT_EQ(now.status, 200);
  EXPECT_EQ(occurrences(now.body, kIn), 1);
}

// Ten visitors come to three services at once, over HTTP.
TEST_F(ShopTestPages, LetTenVisitorsInByThree) {
  const auto lease = test::scaled(500ms);
  Places places;
  places.sqlite = dir_.file("stock.db");
  places.lock_url = "local://" + dir_.file("locks");
  places.presence = dir_.file("presence");
  places.to_environment();
  std::vector<Child> services;
  std::vector<std::uint16_t> ports;
  for (const std::string number : {"1", "2", "3"}) {
    services.push_back(Child({HOLDFAST_SHOP, "service", "--number", number},
                             dir_.file("service" + number)));
    ports.push_back(
        static_cast<std::uint16_t>(std::stoi(services.back().await(kListening, 60s))));
  }
  const auto begin = PageClock::now();
  std::vector<std::future<PageClock::time_point>> visits;
  for (std::size_t i = 0; i < 10; ++i) {
    visits.push_back(std::async(std::launch::async, [&, i] {
      RawClient client(ports[i % 3]);
      client.write("GET /test/semaphore?lease_ms=" + std::to_string(lease.count()) +
                   " HTTP/1.1\r\n\r\n");
      EXPECT_THAT(client.read_until("}"), HasSubstr(kIn));
      return PageClock::now();
    }));
  }
  std::vector<PageClock::time_point> entered;
  int most = 0;
  bool all_seen = false;
  while (entered.size() < visits.size()) {
    const std::string now = state();
    most = std::max(most, occurrences(now, kIn));
    all_seen =
        all_seen || (occurrences(now, kIn) == 3 && occurrences(now, kWaiting) == 7);
    if (visits[entered.size()].wait_for(5ms) == std::future_status::ready) {
      entered.push_back(visits[entered.size()].get());
    }
  }
  std::sort(entered.begin(), entered.end());
  for (std::size_t i = 0; i < entered.size(); ++i) {
    EXPECT_GE(entered[i] - begin, static_cast<int>(i / 3) * lease * 97 / 100) << i;
  }
  EXPECT_EQ(most, 3);
  EXPECT_TRUE(all_seen) << "three in and seven that wait";
}

}  // namespace
}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "http/server.h"
#include "shop/raw_client.h"

namespace holdfast::shop {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

HttpHandler echo() {
  return [](const HttpRequest& request) -> HttpResponse {
    if (request.target == "/throw") throw std::runtime_error("no such luck");
    return {.type = "text/plain",
            .body = request.method + " " + request.target + " " + request.body + "."};
  };
}

std::string ask(std::uint16_t port, const std::string& bytes) {
  RawClient client(port);
  client.write(bytes);
  return client.read_to_the_end();
}

const std::string kClosing = "Host: a\r\nConnection: close\r\n\r\n";

TEST(ShopHttpServer, AnswersOnAConnectionThatIsKept) {
  const HttpServer server(0, echo);
  RawClient client(server.port());
  for (const std::string target : {"/a", "/b?c=d"}) {
    client.write("POST " + target + " HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody");
    EXPECT_THAT(client.read_until("body."), HasSubstr("POST " + target + " body."));
  }
}

TEST(ShopHttpServer, AnswersRequestsThatCameTogether) {
  const HttpServer server(0, echo);
  RawClient client(server.port());
  client.write("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.read_until("/2 ."), HasSubstr("GET /1 ."));
}

TEST(ShopHttpServer, OutlivesAHandlerThatThrows) {
  const HttpServer server(0, echo);
  RawClient client(server.port());
  client.write("GET /throw HTTP/1.1\r\n\r\n");
  const std::string answer = client.read_until("luck");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(answer, HasSubstr("text/plain"));  // Nothing in it can run in a browser.
  client.write("GET /after HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.read_until("/after ."), StartsWith("HTTP/1.1 200 "));
}

TEST(ShopHttpServer, RefusesWhatIsTooLarge) {
  const HttpServer server(0, echo, {.header_bytes = 2000, .body_bytes = 100});
  EXPECT_THAT(ask(server.port(), "GET / HTTP/1.1\r\nA: " + std::string(500'000, 'a')),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(ask(server.port(), "POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n" +
                                     std::string(101, 'a')),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(ask(server.port(), "GET /still HTTP/1.1\r\n" + kClosing),
              HasSubstr("GET /still ."));
}

TEST(ShopHttpServer, RefusesWhatIsBroken) {
  const HttpServer server(0, echo);
  for (const std::string& bytes :
       {std::string("\x16\x03\x01 this is not HTTP\r\n\r\n"),
        std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string(
            "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n")}) {
    EXPECT_THAT(ask(server.port(), bytes), StartsWith("HTTP/1.1 4")) << bytes;
  }
  EXPECT_THAT(ask(server.port(), "GET /still HTTP/1.1\r\n" + kClosing),
              HasSubstr("GET /still ."));
}

TEST(ShopHttpServer, EndsAClientThatIsTooSlow) {
  const HttpServer server(0, echo, {.transfer = 50ms});
  EXPECT_THAT(ask(server.port(), "GET / HT"), StartsWith("HTTP/1.1 408 "));
}

TEST(ShopHttpServer, EndsAnIdleConnection) {
  const HttpServer server(0, echo, {.idle = 50ms});
  EXPECT_EQ(ask(server.port(), ""), "");
}

TEST(ShopHttpServer, ClosesTheConnectionThatIsOneTooMany) {
  const HttpServer server(0, echo, {.connections = 1});
  RawClient first(server.port());
  first.write("GET /a HTTP/1.1\r\n\r\n");
  first.read_until("/a .");
  EXPECT_EQ(ask(server.port(), "GET /b HTTP/1.1\r\n" + kClosing), "");
}

TEST(ShopHttpServer, StopsWithConnectionsOpen) {
  HttpServer server(0, echo);
  RawClient idle(server.port());
  RawClient used(server.port());
  used.write("GET /a HTTP/1.1\r\n\r\n");
  used.read_until("/a .");
  server.stop();
  EXPECT_EQ(used.read_to_the_end(), "");
  server.stop();  // once more does nothing
}

TEST(ShopHttpServer, WaitsForItsHandlersWhenItStops) {
  std::mutex mutex;
  std::condition_variable changed;
  bool inside = false;
  bool go_on = false;
  bool left = false;
  HttpServer server(0, [&]() -> HttpHandler {
    return [&](const HttpRequest&) -> HttpResponse {
      std::unique_lock lock(mutex);
      inside = true;
      changed.notify_all();
      changed.wait(lock, [&] { return go_on; });
      left = true;
      return {};
    };
  });
  RawClient client(server.port());
  client.write("GET / HTTP/1.1\r\n\r\n");
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return inside; });
  std::jthread helper([&] {
    const std::scoped_lock guard(mutex);
    go_on = true;
    changed.notify_all();
  });
  lock.unlock();
  server.stop();
  EXPECT_TRUE(left);
}

}  // namespace
}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

#include "service/service.h"

#include <signal.h>

#include <iostream>
#include <memory>

#include "http/server.h"
#include "service/test_pages.h"
#include "strategies/catalogue.h"

namespace holdfast::shop {
namespace {

HttpResponse refuse(int status, const std::string& why) {
  return {.status = status, .type = "text/plain; charset=utf-8", .body = why + "\n"};
}

// What one connection is served by; its desk belongs to the connection's thread.
class Clerk {
 public:
  Clerk(const ServiceOptions& options, Strategy& strategy, TestPages& test_pages,
        const Places& places, Presence& presence, Presence::Service& here)
      : options_(options),
        strategy_(strategy),
        test_pages_(test_pages),
        here_(here),
        desk_(options.store, places, presence, here) {}

  HttpResponse answer(const HttpRequest& request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (path == "/stock/deduct") {
      return request.method == "POST" ? deduct() : refuse(405, "use POST: it sells");
    }
    if (path.starts_with(kTestPath)) return test_pages_.answer(request);
    if (path != "/stock" && path != "/") return refuse(404, "there is no such page");
    if (request.method != "GET") return refuse(405, "use GET");
    return path == "/" ? describe() : left();
  }

 private:
  HttpResponse deduct() {
    const Counted one(here_.buying);
    try {
      const LeaveGuard guard(desk_);
      const Purchase purchase = strategy_.buy(desk_);
      return {.body = std::string("{\"outcome\":\"") +
                      (purchase.outcome == Outcome::sold ? "sold" : "sold_out") +
                      "\",\"retries\":" + std::to_string(purchase.retries) + "}\n"};
    } catch (const StoreError& e) {
      return refuse(503, e.what());
    }
  }

  HttpResponse left() {
    return {.body = "{\"left\":" + std::to_string(desk_.stock().look().count) + "}\n"};
  }

  HttpResponse describe() const {
    return {.body = "{\"strategy\":\"" + options_.strategy + "\",\"store\":\"" +
                    name_of(options_.store) +
                    "\",\"service\":" + std::to_string(options_.number) + "}\n"};
  }

  const ServiceOptions& options_;
  Strategy& strategy_;
  TestPages& test_pages_;
  Presence::Service& here_;
  Desk desk_;
};

}  // namespace

void run_service(const ServiceOptions& options) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // before there are other threads
  const Places places = Places::from_environment();
  const std::unique_ptr<Strategy> strategy =
      strategy_named(options.strategy).make(places);
  TestPages test_pages(places.lock_url, "service " + std::to_string(options.number));
  const PresenceFile presence(places.presence);
  Presence::Service& here =
      presence->services.at(static_cast<std::size_t>(options.number - 1));
  HttpServer server(0, [&]() -> HttpHandler {
    auto clerk = std::make_shared<Clerk>(options, *strategy, test_pages, places,
                                         *presence, here);
    return [clerk](const HttpRequest& request) { return clerk->answer(request); };
  });
  std::cout << kListening << server.port() << std::endl;
  int number = 0;
  sigwait(&ends, &number);
  test_pages.close();
  server.stop();
}

}  // namespace holdfast::shop

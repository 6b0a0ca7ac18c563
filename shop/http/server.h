// SPDX-License-Identifier: Apache-2.0

// shop/http/server.h - an HTTP server on loopback.
//
//   HttpServer server(0, [] { return [](const HttpRequest&) { return HttpResponse{}; };
//   }); std::cout << server.port();
//
// Each connection has a thread of its own, so a handler may block: that is what waiting
// for a lock does. Connections are kept alive. A request that is too large, broken or
// too slow is answered with an error where that is possible, and its connection is
// closed; no request ends the server.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace holdfast::shop {

struct HttpRequest {
  std::string method;     // as in "GET"
  std::string target;     // as in "/stock?pretty"
  std::string host = {};  // as in "127.0.0.1:8080"
  std::string origin =
      {};  // of the page that sends it, as a browser tells it, or empty
  std::string body = {};
};

// A page needs nothing from elsewhere, and nothing but its own files may run in it.
inline constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body = "{}\n";
  std::string policy = kPagePolicy;  // for text/html
};

struct HttpLimits {
  std::uint32_t header_bytes = 8 * 1024;
  std::uint64_t body_bytes = std::uint64_t{64} * 1024;
  std::size_t connections = 512;  // A further one is closed at once.
  // A whole request has this long from its first byte, and a whole response to be
  // taken.
  std::chrono::milliseconds transfer{5000};
  // An idle connection stays for longer than nginx keeps it, so that nginx never sends
  // a request into a connection that is being closed.
  std::chrono::milliseconds idle{75'000};
};

// A handler belongs to one connection, and runs on its thread. An exception becomes
// status 500.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

class HttpServer {
 public:
  // Listens on 127.0.0.1; port 0 stands for a free one. `new_handler` is called for
  // each connection, on its thread. Throws Trouble when the port is taken.
  HttpServer(std::uint16_t port, std::function<HttpHandler()> new_handler,
             const HttpLimits& limits = {});
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();  // stops it

  std::uint16_t port() const noexcept;

  // Takes no further connections, closes those that there are, and waits for the
  // handlers that are running.
  void stop() noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::shop

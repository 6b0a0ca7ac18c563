// SPDX-License-Identifier: Apache-2.0

// shop/live/http_client.h - asks a server on loopback, one request at a time.
//
//   HttpClient client(8080, 1s);
//   client.get("/stock").body;         // {"left":4999}

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace holdfast::shop {

struct HttpReply {
  int status = 0;
  std::string body;
};

// Its connection is kept alive. It is not safe for concurrent use.
class HttpClient {
 public:
  HttpClient(std::uint16_t port, std::chrono::milliseconds limit) noexcept
      : port_(port), limit_(limit) {}
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient() { hang_up(); }

  // Throws Trouble when no whole answer comes; the next call connects anew.
  HttpReply get(const std::string& target);

 private:
  void connect();
  void hang_up() noexcept;

  const std::uint16_t port_;
  const std::chrono::milliseconds limit_;  // of each silence
  int fd_ = -1;
};

}  // namespace holdfast::shop

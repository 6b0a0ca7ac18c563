// SPDX-License-Identifier: Apache-2.0

#include "http/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "errors.h"
#include "http/timed_socket.h"

namespace holdfast::shop {
namespace {

namespace http = boost::beast::http;

int listen_on(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(fd, SOMAXCONN) != 0) {
    const std::string why = std::strerror(errno);
    if (fd >= 0) close(fd);
    throw Trouble(kUnavailable, "cannot listen on 127.0.0.1:" + std::to_string(port) +
                                    ": " + why + "; choose another --port");
  }
  return fd;
}

std::uint16_t port_of(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

using Message = http::response<http::string_body>;

Message to_message(HttpResponse&& response, unsigned version, bool keep_alive) {
  Message message(static_cast<http::status>(response.status), version);
  message.set(http::field::content_type, response.type);
  if (response.type.starts_with("text/html")) {
    message.set("Content-Security-Policy", response.policy);
  }
  message.set("X-Content-Type-Options", "nosniff");
  message.keep_alive(keep_alive);
  message.body() = std::move(response.body);
  message.prepare_payload();
  return message;
}

HttpResponse plain(int status, const std::string& sentence) {
  return {
      .status = status, .type = "text/plain; charset=utf-8", .body = sentence + "\n"};
}

// The client's mistake as a response; status 0 means that no answer can reach it.
HttpResponse response_to(const boost::system::error_code& code) {
  if (code == boost::asio::error::timed_out) {
    return plain(408, "the request is too slow");
  }
  if (code == http::error::end_of_stream || code == boost::asio::error::eof ||
      code.category() == boost::system::system_category()) {
    return {.status = 0};
  }
  if (code == http::error::header_limit) return plain(431, "the header is too large");
  if (code == http::error::body_limit) return plain(413, "the body is too large");
  return plain(400, "this is not a request of HTTP");
}

HttpResponse answer(const HttpHandler& handler, const HttpRequest& request) {
  try {
    return handler(request);
  } catch (const std::exception& e) {
    return plain(500, e.what());
  }
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(std::uint16_t port, std::function<HttpHandler()> new_handler,
       const HttpLimits& limits)
      : new_handler_(std::move(new_handler)),
        limits_(limits),
        listener_(listen_on(port)),
        port_(port_of(listener_)),
        acceptor_([this] { accept_all(); }) {}

  ~Impl() {
    stop();
    close(listener_);
  }

  std::uint16_t port() const noexcept { return port_; }

  void stop() noexcept {
    std::unique_lock lock(mutex_);
    if (!std::exchange(stopping_, true)) shutdown(listener_, SHUT_RDWR);
    for (const int fd : connections_) shutdown(fd, SHUT_RDWR);
    lock.unlock();
    if (acceptor_.joinable()) acceptor_.join();
    lock.lock();
    changed_.wait(lock, [this] { return connections_.empty(); });
  }

 private:
  void accept_all() {
    for (;;) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      const std::scoped_lock lock(mutex_);
      if (stopping_) {
        if (fd >= 0) close(fd);
        return;
      }
      if (fd >= 0) admit(fd);
    }
  }

  // REQUIRES: mutex_ is held.
  void admit(int fd) {
    if (connections_.size() >= limits_.connections) {
      close(fd);
      return;
    }
    connections_.insert(fd);
    try {
      std::thread([this, fd] { serve(fd); }).detach();  // stop() waits for its end
    } catch (const std::system_error&) {
      leave(fd);
    }
  }

  // REQUIRES: mutex_ is held. The descriptor is closed under the mutex, so that stop()
  // never shuts down a number that belongs to another file by then.
  void leave(int fd) {
    connections_.erase(fd);
    close(fd);
    changed_.notify_all();
  }

  void serve(int fd) {
    const int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    try {
      TimedSocket socket(fd);
      boost::beast::flat_buffer buffer;
      HttpHandler handler;
      while (serve_one(socket, buffer, handler)) {
      }
    } catch (const std::exception&) {  // no memory, for instance: only this one ends
    }
    const std::scoped_lock lock(mutex_);
    leave(fd);
  }

  // Returns whether the connection stays.
  bool serve_one(TimedSocket& socket, boost::beast::flat_buffer& buffer,
                 HttpHandler& handler) {
    socket.expires_after(limits_.idle);
    if (buffer.size() == 0 && !socket.await_input()) return false;
    socket.expires_after(limits_.transfer);
    http::request_parser<http::string_body> parser;
    parser.header_limit(limits_.header_bytes);
    parser.body_limit(limits_.body_bytes);
    boost::system::error_code code;
    http::read(socket, buffer, parser, code);
    if (code) {
      HttpResponse refusal = response_to(code);
      if (refusal.status != 0) {
        send(socket, to_message(std::move(refusal), 11, false));
        socket.expires_after(limits_.transfer);
        socket.finish();
      }
      return false;
    }
    auto request = parser.release();
    const bool keep_alive = request.keep_alive();
    const unsigned version = request.version();
    if (!handler) handler = new_handler_();
    HttpResponse response =
        answer(handler, {.method = std::string(request.method_string()),
                         .target = std::string(request.target()),
                         .host = std::string(request[http::field::host]),
                         .origin = std::string(request[http::field::origin]),
                         .body = std::move(request.body())});
    socket.expires_after(limits_.transfer);  // The handler may have waited for long.
    return send(socket, to_message(std::move(response), version, keep_alive)) &&
           keep_alive;
  }

  static bool send(TimedSocket& socket, const Message& message) {
    boost::system::error_code code;
    http::write(socket, message, code);
    return !code;
  }

  const std::function<HttpHandler()> new_handler_;
  const HttpLimits limits_;
  const int listener_;
  const std::uint16_t port_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::set<int> connections_;

  std::thread acceptor_;  // the last member: it uses the others
};

HttpServer::HttpServer(std::uint16_t port, std::function<HttpHandler()> new_handler,
                       const HttpLimits& limits)
    : impl_(std::make_unique<Impl>(port, std::move(new_handler), limits)) {}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const noexcept { return impl_->port(); }

void HttpServer::stop() noexcept { impl_->stop(); }

}  // namespace holdfast::shop

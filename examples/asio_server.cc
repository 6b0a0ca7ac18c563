// SPDX-License-Identifier: Apache-2.0

// asio_server.cc - an HTTP server with one thread that sells each item under a lock.
//
//   $ ./asio_server
//   sold 20 of 20, to 30 customers at once

#include <asio.hpp>
//
#include <holdfast/asio.h>
#include <holdfast/holdfast.h>

#include <iostream>
#include <map>
#include <string>

using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

constexpr int kCustomers = 30;

// Two items, of which there are ten each.
std::map<std::string, int> stock{{"1001", 10}, {"1002", 10}};

std::string reply(std::string_view status, std::string_view text) {
  return "HTTP/1.1 " + std::string(status) +
         "\r\nConnection: close\r\nContent-Length: " + std::to_string(text.size()) +
         "\r\n\r\n" + std::string(text);
}

// Returns the item of "POST /buy/ITEM HTTP/1.1", or nothing.
std::string item_of(const std::string& request) {
  constexpr std::string_view kBuy = "POST /buy/";
  if (!request.starts_with(kBuy)) return {};
  return request.substr(kBuy.size(), request.find(' ', kBuy.size()) - kBuy.size());
}

asio::awaitable<std::string> sell(holdfast::Client client, std::string item) {
  const auto found = stock.find(item);
  if (found == stock.end()) co_return reply("404 Not Found", "no such item\n");
  holdfast::Mutex mutex(std::move(client), "stock/" + item);
  auto sold = co_await holdfast::with_hold(
      mutex, {.wait = 1min}, [&](holdfast::Hold&) -> asio::awaitable<bool> {
        const int seen = found->second;
        co_await asio::post(asio::use_awaitable);  // others run here, but none gets in
        if (seen > 0) found->second = seen - 1;
        co_return seen > 0;
      });
  if (!sold.has_value()) co_return reply("503 Service Unavailable", "try again\n");
  co_return *sold ? reply("200 OK", "sold\n") : reply("409 Conflict", "sold out\n");
}

asio::awaitable<void> serve(tcp::socket customer, holdfast::Client client) {
  std::string request;
  co_await asio::async_read_until(customer, asio::dynamic_buffer(request, 8192),
                                  "\r\n\r\n", asio::use_awaitable);
  const std::string answer = co_await sell(std::move(client), item_of(request));
  co_await asio::async_write(customer, asio::buffer(answer), asio::use_awaitable);
}

asio::awaitable<void> listen(tcp::acceptor& acceptor, holdfast::Client client) {
  for (int i = 0; i < kCustomers; ++i) {
    auto customer = co_await acceptor.async_accept(asio::use_awaitable);
    asio::co_spawn(acceptor.get_executor(), serve(std::move(customer), client),
                   asio::detached);
  }
}

asio::awaitable<void> buy(tcp::endpoint shop, std::string item, int& sold) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(shop, asio::use_awaitable);
  const std::string request = "POST /buy/" + item + " HTTP/1.1\r\nHost: shop\r\n\r\n";
  co_await asio::async_write(socket, asio::buffer(request), asio::use_awaitable);
  std::string answer;
  co_await asio::async_read_until(socket, asio::dynamic_buffer(answer, 8192),
                                  "\r\n\r\n", asio::use_awaitable);
  sold += answer.starts_with("HTTP/1.1 200 ") ? 1 : 0;
}

}  // namespace

int main() try {
  auto client = holdfast::Client::open().value();
  asio::io_context io;
  tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
  asio::co_spawn(io, listen(acceptor, client), asio::detached);
  int sold = 0;
  for (int i = 0; i < kCustomers; ++i) {
    asio::co_spawn(io,
                   buy(acceptor.local_endpoint(), i % 2 == 0 ? "1001" : "1002", sold),
                   asio::detached);
  }
  io.run();
  std::cout << "sold " << sold << " of 20, to " << kCustomers << " customers at once\n";
  return sold == 20 && stock["1001"] == 0 && stock["1002"] == 0 ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

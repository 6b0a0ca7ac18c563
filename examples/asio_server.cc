// SPDX-License-Identifier: Apache-2.0

// asio_server.cc - a server with one thread that sells under a lock.
//
//   $ ./asio_server
//   sold 20 of 20, to 20 customers at once

#include <asio.hpp>
//
#include <holdfast/asio.h>
#include <holdfast/holdfast.h>

#include <iostream>

using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

constexpr int kCustomers = 20;
int left = kCustomers;

asio::awaitable<void> serve(tcp::socket customer, holdfast::Mutex& stock) {
  auto sold = co_await holdfast::with_hold(
      stock, {.wait = 1min}, [](holdfast::Hold&) -> asio::awaitable<bool> {
        const int seen = left;
        co_await asio::post(asio::use_awaitable);  // others run here, but none gets in
        left = seen - 1;
        co_return true;
      });
  const std::string answer = sold.value_or(false) ? "sold\n" : "sorry\n";
  co_await asio::async_write(customer, asio::buffer(answer), asio::use_awaitable);
}

asio::awaitable<void> listen(tcp::acceptor& acceptor, holdfast::Mutex& stock) {
  for (int i = 0; i < kCustomers; ++i) {
    auto customer = co_await acceptor.async_accept(asio::use_awaitable);
    asio::co_spawn(acceptor.get_executor(), serve(std::move(customer), stock),
                   asio::detached);
  }
}

asio::awaitable<void> buy(tcp::endpoint shop, int& sold) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(shop, asio::use_awaitable);
  std::string answer;
  co_await asio::async_read_until(socket, asio::dynamic_buffer(answer), '\n',
                                  asio::use_awaitable);
  sold += answer == "sold\n" ? 1 : 0;
}

}  // namespace

int main() try {
  auto client = holdfast::Client::open().value();
  holdfast::Mutex stock(client, "stock/1001");
  asio::io_context io;
  tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
  asio::co_spawn(io, listen(acceptor, stock), asio::detached);
  int sold = 0;
  for (int i = 0; i < kCustomers; ++i) {
    asio::co_spawn(io, buy(acceptor.local_endpoint(), sold), asio::detached);
  }
  io.run();
  std::cout << "sold " << sold << " of " << kCustomers << ", to " << kCustomers
            << " customers at once\n";
  return sold == kCustomers && left == 0 ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

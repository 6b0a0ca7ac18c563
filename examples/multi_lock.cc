// SPDX-License-Identifier: Apache-2.0

// multi_lock.cc - transfers in both directions at once, without a deadlock.
//
//   $ ./multi_lock
//   200 transfers, 100 + 100 = 200

#include <holdfast/holdfast.h>

#include <iostream>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace {

// Each under the lock of its name.
std::map<std::string, int> balance = {{"account/7", 100}, {"account/9", 100}};

void transfer(const holdfast::Client& client, const std::string& from,
              const std::string& to) {
  holdfast::MultiLock both(client, {from, to});
  std::scoped_lock guard(both);  // both or none; the order given does not matter
  balance.at(from) -= 1;
  balance.at(to) += 1;
}

void transfers(const holdfast::Client& client, const std::string& from,
               const std::string& to) {
  for (int i = 0; i < 100; ++i) transfer(client, from, to);
}

}  // namespace

int main() try {
  auto client = holdfast::Client::open().value();
  std::vector<std::jthread> both_ways;
  both_ways.emplace_back([&] { transfers(client, "account/7", "account/9"); });
  both_ways.emplace_back([&] { transfers(client, "account/9", "account/7"); });
  both_ways.clear();
  const int one = balance.at("account/7");
  const int other = balance.at("account/9");
  std::cout << "200 transfers, " << one << " + " << other << " = " << one + other
            << '\n';
  if (one != 100 || other != 100) return 1;

  // If one of them is taken, none is.
  holdfast::Mutex nine(holdfast::Client::open().value(), "account/9");
  holdfast::Mutex seven(holdfast::Client::open().value(), "account/7");
  holdfast::MultiLock both(client, {"account/7", "account/9"});
  std::scoped_lock guard(nine);
  if (both.try_lock() || !seven.try_lock()) return 1;
  return 0;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

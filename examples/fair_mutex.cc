// SPDX-License-Identifier: Apache-2.0

// fair_mutex.cc - a lock that is granted in order of arrival.
//
//   $ ./fair_mutex
//   served: first, second, third

#include <holdfast/holdfast.h>

#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using holdfast::engine::Kind;

namespace {

constexpr const char* kName = "post-office/counter-3";

// How many have the lock or wait for it.
std::size_t in_line(const holdfast::Client& client) {
  auto queue = client.session().bind({Kind::fair_mutex, kName}).value();
  return queue->survey(100, holdfast::Clock::now() + 5s).value().size();
}

}  // namespace

int main() try {
  auto client = holdfast::Client::open().value();
  holdfast::FairMutex counter(client, kName);
  counter.lock();

  std::vector<std::string> served;  // under the lock
  std::vector<std::jthread> customers;
  for (const char* who : {"first", "second", "third"}) {
    const std::size_t ahead = in_line(client);
    customers.emplace_back([who, client, &served] {
      holdfast::FairMutex mine(client, kName);
      std::scoped_lock guard(mine);
      served.emplace_back(who);
    });
    while (in_line(client) == ahead) std::this_thread::sleep_for(1ms);
  }
  counter.unlock();
  customers.clear();  // waits until all of them are served

  std::cout << "served: " << served.at(0) << ", " << served.at(1) << ", "
            << served.at(2) << '\n';
  return served == std::vector<std::string>{"first", "second", "third"} ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

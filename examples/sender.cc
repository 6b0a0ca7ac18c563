// SPDX-License-Identifier: Apache-2.0

// sender.cc - two accounts, and transfers between them as pipelines of senders.
//
//   $ ./sender
//   3 transfers: 10 + 90 = 100

#include <holdfast/execution.h>
#include <holdfast/holdfast.h>

#include <iostream>

using namespace std::chrono_literals;

namespace {

struct Bank {
  holdfast::MultiLock both;
  int first = 100;
  int second = 0;
};

// Waits for both accounts, moves the amount, and waits until both are given back.
auto transfer(Bank& bank, int amount) {
  return holdfast::as_sender(holdfast::acquired(bank.both, {.wait = 1min})) |
         stdexec::let_value([&bank, amount](holdfast::MultiHold& holds) {
           bank.first -= amount;
           bank.second += amount;
           return holdfast::as_sender(holdfast::released(std::move(holds)));
         });
}

}  // namespace

int main() try {
  auto client = holdfast::Client::open().value();
  Bank bank{.both = holdfast::MultiLock(client, {"account/1", "account/2"})};
  auto transfers =
      stdexec::when_all(transfer(bank, 20), transfer(bank, 30), transfer(bank, 40));
  if (!stdexec::sync_wait(std::move(transfers))) return 1;  // it was stopped
  std::cout << "3 transfers: " << bank.first << " + " << bank.second << " = "
            << bank.first + bank.second << '\n';
  return bank.first == 10 && bank.second == 90 ? 0 : 1;
} catch (const holdfast::Failure& why) {  // what a sender has failed with
  std::cerr << why.message() << '\n';
  return 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

// SPDX-License-Identifier: Apache-2.0

// recursive.cc - functions that lock what their caller has locked already.
//
//   $ ./recursive
//   3 on the account

#include <holdfast/holdfast.h>

#include <iostream>
#include <mutex>

class Account {
 public:
  explicit Account(holdfast::Client client) : mutex_(std::move(client), "account/7") {}

  void deposit(int amount) {
    std::scoped_lock guard(mutex_);
    balance_ += amount;
  }

  void deposit_twice(int amount) {
    std::scoped_lock guard(mutex_);
    deposit(amount);  // the same thread goes in again: no waiting, no round trip
    deposit(amount);
  }

  int balance() {
    std::scoped_lock guard(mutex_);
    return balance_;
  }

 private:
  holdfast::RecursiveMutex mutex_;
  int balance_ = 1;
};

int main() try {
  Account account(holdfast::Client::open().value());
  account.deposit_twice(1);
  std::cout << account.balance() << " on the account\n";
  return account.balance() == 3 ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

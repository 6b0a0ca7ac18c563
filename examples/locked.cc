// SPDX-License-Identifier: Apache-2.0

// locked.cc - a function that runs under a lock which its arguments name.
//
//   $ ./locked
//   under ACCOUNT:USER:4711: balance 90
//   ACCOUNT:USER:4711 is taken: lock "ACCOUNT:USER:4711" is held by ...

#include <holdfast/holdfast.h>

#include <iostream>

using namespace std::chrono_literals;

struct User {
  int id;
  int balance;
};

namespace {

// Nothing in it knows of locks.
int pay(User& user, int amount) { return user.balance -= amount; }

holdfast::Result<int> withdraw(const User& user, int amount) {
  if (amount > user.balance) return holdfast::Errc::bad_argument;
  return amount;
}

}  // namespace

int main() try {
  auto client = holdfast::Client::open().value();
  User user{4711, 100};

  // The key is a member of an argument ...
  const auto pay_locked =
      locked(client, {.prefix = "ACCOUNT:USER", .wait = 100ms}, &User::id, pay);
  auto left = pay_locked(user, 10);
  if (!left || *left != 90) return 1;
  std::cout << "under ACCOUNT:USER:4711: balance " << *left << '\n';

  // ... or a text with the arguments in it. A Result that it returns is not wrapped.
  const auto also_locked =
      locked(client, {.prefix = "WITHDRAW"}, holdfast::key_text<"of {1}">, withdraw);
  if (also_locked(user, 1000).error().code != holdfast::Errc::bad_argument) return 1;

  // Not locked, so not called: the error says who has it.
  holdfast::Mutex theirs(holdfast::Client::open().value(), "ACCOUNT:USER:4711");
  auto hold = theirs.acquire().value();
  left = pay_locked(user, 10);
  if (left || user.balance != 90) return 1;
  std::cout << "ACCOUNT:USER:4711 is taken: " << left.error().message() << '\n';
  return left.error().code == holdfast::Errc::timed_out ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

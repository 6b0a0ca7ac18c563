// SPDX-License-Identifier: Apache-2.0

// shared_mutex.cc - readers together, a writer alone, and a writer that goes on
// reading.
//
//   $ ./shared_mutex
//   two read, and a writer waits
//   one writes, and readers wait
//   downgraded: readers are in, writers are not

#include <holdfast/holdfast.h>

#include <iostream>
#include <mutex>
#include <shared_mutex>

int main() try {
  // Three clients stand for three processes here.
  auto client = holdfast::Client::open().value();
  holdfast::SharedMutex one(client, "prices");
  holdfast::SharedMutex two(holdfast::Client::open().value(), "prices");
  holdfast::SharedMutex writer(holdfast::Client::open().value(), "prices");

  {
    std::shared_lock reading(one);
    std::shared_lock also_reading(two, std::try_to_lock);
    std::unique_lock writing(writer, std::try_to_lock);
    if (!also_reading || writing) return 1;
    std::cout << "two read, and a writer waits\n";
  }

  auto hold = writer.acquire().value();
  if (two.try_lock_shared()) return 1;
  std::cout << "one writes, and readers wait\n";

  // Goes on reading what it wrote: no other writer gets in between. On etcd, where a
  // claim keeps its place, others read when this one has let go.
  hold.downgrade().value();
  if (!client.traits(holdfast::engine::Kind::shared_mutex).downgrades) {
    std::cout << "this engine lets no readers in before the writer has left\n";
    return two.try_lock_shared() ? 1 : 0;
  }
  std::shared_lock reading(one, std::try_to_lock);
  if (!reading || two.try_lock() || hold.exclusive()) return 1;
  std::cout << "downgraded: readers are in, writers are not\n";

  // The way back does not exist: two readers would wait for each other.
  auto refused = hold.upgrade();
  return !refused && refused.error().code == holdfast::Errc::would_deadlock ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

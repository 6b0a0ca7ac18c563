// SPDX-License-Identifier: Apache-2.0

// test_server.cc - test what your program does when its lock is lost, without a server.
//
//   $ ./test_server
//   a night without trouble: 3 of 3 batches
//   the lock is lost after the first: 1 of 3 batches

#include <holdfast/holdfast.h>
#include <holdfast/testing.h>

#include <functional>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;

// What is tested: it must not begin another batch once the lock is lost.
int run_batches(const holdfast::Client& client, int wanted,
                const std::function<void()>& batch) {
  holdfast::Mutex mutex(client, "batch/night");
  auto hold = mutex.acquire().value();
  int done = 0;
  for (; done < wanted && hold.valid(); ++done) batch();
  return done;
}

int main() {
  holdfast::TestServer server;

  const int all = run_batches(server.client().value(), 3, [] {});
  std::cout << "a night without trouble: " << all << " of 3 batches\n";

  const int some = run_batches(server.client().value(), 3, [&] {
    server.end_holds("batch/night");     // as if the lease had run out,
    std::this_thread::sleep_for(200ms);  // and the batch went on for a while
  });
  std::cout << "the lock is lost after the first: " << some << " of 3 batches\n";

  return all == 3 && some == 1 ? 0 : 1;
}

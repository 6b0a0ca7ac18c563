// SPDX-License-Identifier: Apache-2.0

// lost_signal.cc - stop the work when the lock is no longer ours.
//
//   $ ./lost_signal
//   told: the lock is lost
//   stopped after 14 batches

#include <holdfast/holdfast.h>

#include <future>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;

int main() try {
  auto client = holdfast::Client::open().value();

  // A fixed lease ends by itself, so that this example can lose it. A renewed one, the
  // default, is lost when the engine cannot be reached for too long.
  holdfast::Mutex mutex(client, "batch/night", holdfast::LeaseOptions::fixed(300ms));
  auto hold = mutex.acquire().value();

  // As an event ...
  std::promise<void> told;
  std::stop_callback on_loss(hold.lost(), [&] {
    std::cout << "told: the lock is lost\n";
    told.set_value();
  });

  // ... or as a question, before each step.
  int batches = 0;
  while (hold.valid()) {
    std::this_thread::sleep_for(20ms);  // one batch
    ++batches;
  }
  told.get_future().wait();
  std::cout << "stopped after " << batches << " batches\n";

  auto released = hold.release();  // says that there was nothing left to release
  return !released && released.error().code == holdfast::Errc::not_held ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

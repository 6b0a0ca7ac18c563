// SPDX-License-Identifier: Apache-2.0

#include <holdfast/holdfast.h>
#include <holdfast/testing.h>

#include <thread>

int main() {
  using namespace std::chrono_literals;
  holdfast::TestServer server;
  holdfast::Mutex mutex(server.client().value(), "report");
  auto hold = mutex.acquire();
  if (!hold || server.end_holds("report") != 1) return 1;
  for (int i = 0; i < 500 && hold->valid(); ++i) std::this_thread::sleep_for(10ms);
  return hold->valid() ? 1 : 0;
}

// SPDX-License-Identifier: Apache-2.0

// <holdfast/client.h> stays light: options of a client have a header of their own.
// expect: ClientOptions
#ifdef MISTAKE
#include <holdfast/client.h>
#else
#include <holdfast/client_options.h>
#endif

using namespace std::chrono_literals;

int main() {
  auto plain = holdfast::Client::open("local:").value();
  auto quick = holdfast::Client::open("local:", {.ttl = 5s}).value();
}

// SPDX-License-Identifier: Apache-2.0

#include "interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "exit_codes.h"
#include "run/signals.h"
#include "say.h"

namespace holdfast::cli {
namespace {

// Requests `stop` when a signal comes, until `over` can be read.
int listen(int signals, int over, std::stop_source& stop) {
  for (;;) {
    std::array<pollfd, 2> ready{{{signals, POLLIN, 0}, {over, POLLIN, 0}}};
    poll(ready.data(), ready.size(), -1);
    if (ready[1].revents != 0) return 0;
    if (ready[0].revents == 0) continue;
    if (const int number = next_signal(signals)) {
      stop.request_stop();
      return number;
    }
  }
}

}  // namespace

Descriptor catch_signals() {
  sigset_t caught;
  block_signals(caught);
  return require(signalfd(-1, &caught, SFD_CLOEXEC), "listen for signals");
}

int next_signal(int signals) {
  signalfd_siginfo info{};
  if (read(signals, &info, sizeof info) != sizeof info) return 0;
  return info.ssi_signo == SIGWINCH ? 0 : static_cast<int>(info.ssi_signo);
}

int until_signal(int signals, const std::function<void(const std::stop_token&)>& work) {
  std::stop_source stop;
  const Descriptor over = require(eventfd(0, EFD_CLOEXEC), "listen for signals");
  int number = 0;
  std::thread listener([&] { number = listen(signals, over.get(), stop); });
  work(stop.get_token());
  const std::uint64_t one = 1;
  (void)!write(over.get(), &one, sizeof one);
  listener.join();
  return number;
}

int wait_or_say(int signals,
                const std::function<Result<void>(const std::stop_token&)>& work) {
  Result<void> done;
  const int number =
      until_signal(signals, [&](const std::stop_token& stop) { done = work(stop); });
  if (done) return kOk;
  return number != 0 ? kSignalled + number : fail(done.error());
}

}  // namespace holdfast::cli

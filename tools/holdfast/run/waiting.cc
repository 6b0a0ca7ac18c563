#include "run/waiting.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "holdfast/mutex.h"
#include "run/descriptor.h"

namespace holdfast::cli {
namespace {

// Requests `stop` when a signal comes, until `over` can be read.
int listen(int signals, int over, const std::stop_source& stop) {
  for (;;) {
    std::array<pollfd, 2> ready{{{signals, POLLIN, 0}, {over, POLLIN, 0}}};
    poll(ready.data(), ready.size(), -1);
    if (ready[1].revents != 0) return 0;
    signalfd_siginfo info{};
    if (read(signals, &info, sizeof info) != sizeof info) continue;
    if (info.ssi_signo == SIGWINCH) continue;
    stop.request_stop();
    return static_cast<int>(info.ssi_signo);
  }
}

}  // namespace

Wait wait_for_lock(const Client& client, const RunOptions& options, int signals) {
  Mutex mutex(client, options.name, options.lease);
  if (options.wait.is_zero()) return {mutex.acquire({.wait = options.wait}), 0};

  std::stop_source stop;
  const Descriptor over(eventfd(0, EFD_CLOEXEC));
  int signal = 0;
  std::thread listener([&] { signal = listen(signals, over.get(), stop); });
  auto hold = mutex.acquire({.wait = options.wait, .stop = stop.get_token()});
  const std::uint64_t one = 1;
  (void)!write(over.get(), &one, sizeof one);
  listener.join();
  return {std::move(hold), signal};
}

}  // namespace holdfast::cli

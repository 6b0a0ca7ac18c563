// SPDX-License-Identifier: Apache-2.0

#include "inbox.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <utility>

#include "interrupt.h"

namespace holdfast::cli {

Inbox::Inbox()
    : posted_(require(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "listen for news")) {}

void Inbox::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  const std::uint64_t one = 1;
  (void)!write(posted_.get(), &one, sizeof one);
}

int Inbox::run_until_signal(int signals) {
  for (;;) {
    std::array<pollfd, 2> ready{{{signals, POLLIN, 0}, {posted_.get(), POLLIN, 0}}};
    poll(ready.data(), ready.size(), -1);
    if (ready[1].revents != 0) run_all();
    if (ready[0].revents == 0) continue;
    if (const int number = next_signal(signals)) return number;
  }
}

void Inbox::run_all() {
  std::uint64_t count = 0;
  (void)!read(posted_.get(), &count, sizeof count);
  std::deque<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  }
  for (const auto& task : tasks) task();
}

}  // namespace holdfast::cli

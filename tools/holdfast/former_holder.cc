// SPDX-License-Identifier: Apache-2.0

#include "former_holder.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "holdfast/holder.h"
#include "interrupt.h"
#include "report.h"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

constexpr engine::LeaseTime kUsualTtl = 30s;

Descriptor process_of(const engine::Entry& entry) {
  const Holder holder = read_holder(entry.payload);
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const auto pid = static_cast<pid_t>(holder.pid);
  if (pid <= 0 || holder.host != host.data()) return Descriptor();
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace

FormerHolder::FormerHolder(const engine::Entry& entry)
    : who_(who(entry)),
      process_(process_of(entry)),
      lease_end_(Clock::now() + entry.left.value_or(kUsualTtl)) {}

bool FormerHolder::is_running() const {
  if (!process_) return false;
  pollfd ended{process_.get(), POLLIN, 0};
  return poll(&ended, 1, 0) == 0;
}

int FormerHolder::wait(int signals) const {
  if (process_ && !is_running()) return 0;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(lease_end_ - Clock::now());
    if (left <= 0ms) return 0;
    std::array<pollfd, 2> ready{// poll(2) ignores a descriptor below zero.
                                {{signals, POLLIN, 0}, {process_.get(), POLLIN, 0}}};
    poll(ready.data(), ready.size(),
         static_cast<int>(std::min<std::chrono::milliseconds>(left, 1h).count()));
    if (ready[1].revents != 0) return 0;
    if (ready[0].revents == 0) continue;
    if (const int number = next_signal(signals)) return number;
  }
}

std::string FormerHolder::what_is_left() const {
  if (is_running()) return who_ + " still runs";
  if (process_) return who_ + " has ended";
  const bool over = Clock::now() >= lease_end_;
  return who_ + (over ? " may still run: its lease is over, and it is not on this host"
                      : " may still run: it is not on this host, or has ended");
}

}  // namespace holdfast::cli

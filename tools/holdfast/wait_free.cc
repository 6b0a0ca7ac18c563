// SPDX-License-Identifier: Apache-2.0

#include "wait_free.h"

#include <algorithm>
#include <stop_token>

#include "holdfast/clock.h"
#include "holdfast/engine/session.h"

namespace holdfast::cli {
namespace {

// These watches ring the waker when something changes under the name, whatever kind it
// is.
struct Watches {
  std::vector<engine::Watch> all;
  std::chrono::nanoseconds retry_after = std::chrono::nanoseconds::max();
};

Result<Watches> watch(const Client& client, const std::string& name,
                      const engine::Waker& waker) {
  Watches watches;
  for (const engine::Kind kind : claim_kinds()) {
    if (!client.traits(kind).supported) continue;
    const auto resource = client.session().bind({kind, name});
    if (!resource) return resource.error();
    auto one = (*resource)->watch(waker, soon());
    if (!one) return one.error();
    watches.retry_after = std::min(watches.retry_after, one->retry_after);
    watches.all.push_back(*std::move(one));
  }
  return watches;
}

}  // namespace

Result<std::vector<ResourceStatus>> wait_until_free(const Client& client,
                                                    const std::string& name,
                                                    const WaitOptions& options) {
  const auto deadline = options.wait.deadline();
  const engine::Waker waker = client.session().signal();
  const std::stop_callback on_stop(options.stop, [&] { waker->ring(); });
  const auto watches = watch(client, name, waker);
  if (!watches) return watches.error();
  for (;;) {
    auto statuses = look_held(client, name);
    if (!statuses || statuses->empty()) return statuses;
    if (options.stop.stop_requested()) return Errc::cancelled;
    const auto now = Clock::now();
    if (now >= deadline) return statuses;
    waker->wait(std::min(deadline, Timeout(watches->retry_after).deadline_from(now)));
  }
}

}  // namespace holdfast::cli

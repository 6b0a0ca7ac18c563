// SPDX-License-Identifier: Apache-2.0

#include "run/barrier_run.h"

#include "holdfast/double_barrier.h"
#include "interrupt.h"
#include "run/startup.h"
#include "say.h"

namespace holdfast::cli {
namespace {

// A BarrierRun is inside the barrier.
class BarrierRun final : public RunHold {
 public:
  explicit BarrierRun(DoubleBarrier& barrier) noexcept : barrier_(barrier) {}

  FencingToken token() const noexcept override { return {}; }
  std::stop_token lost() const noexcept override { return barrier_.lost(); }
  std::chrono::nanoseconds valid_for() const noexcept override {
    return barrier_.valid_for();
  }
  // It leaves the barrier afterwards.
  Result<void> release() noexcept override { return {}; }

 private:
  DoubleBarrier& barrier_;
};

}  // namespace

int run_as_party(RunOptions& options, std::uint32_t parties) {
  options.kind = engine::Kind::double_barrier;
  options.held = "place in";
  Startup startup(options);
  const auto client = startup.open_client();
  if (!client) return fail(client.error());
  DoubleBarrier barrier(*client, options.name, parties, options.lease);

  const int kept_out = wait_or_say(startup.signals(), [&](const std::stop_token& stop) {
    return barrier.enter({.wait = options.wait, .stop = stop});
  });
  if (kept_out != kOk) return kept_out;

  BarrierRun barrier_run(barrier);
  const int code = startup.run(barrier_run, *client);
  if (code == kLost || code > kSignalled) return code;
  const int kept_in = wait_or_say(startup.signals(), [&](const std::stop_token& stop) {
    return barrier.leave({.wait = options.wait, .stop = stop});
  });
  return code != kOk ? code : kept_in;
}

}  // namespace holdfast::cli

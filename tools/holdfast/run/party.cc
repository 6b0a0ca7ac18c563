// SPDX-License-Identifier: Apache-2.0

#include "run/party.h"

#include "holdfast/double_barrier.h"
#include "interrupt.h"
#include "run/stage.h"
#include "say.h"

namespace holdfast::cli {
namespace {

// A Party is inside the barrier.
class Party final : public Held {
 public:
  explicit Party(DoubleBarrier& barrier) noexcept : barrier_(barrier) {}

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
  options.held = "place in";
  Stage stage(options);
  const auto client = stage.open_client();
  if (!client) return fail(client.error());
  DoubleBarrier barrier(*client, options.name, parties, options.lease);

  const int kept_out = wait_or_say(stage.signals(), [&](const std::stop_token& stop) {
    return barrier.enter({.wait = options.wait, .stop = stop});
  });
  if (kept_out != kOk) return kept_out;

  Party party(barrier);
  const int code = stage.run(party, *client);
  if (code == kLost || code > kSignalled) return code;
  const int kept_in = wait_or_say(stage.signals(), [&](const std::stop_token& stop) {
    return barrier.leave({.wait = options.wait, .stop = stop});
  });
  return code != kOk ? code : kept_in;
}

}  // namespace holdfast::cli

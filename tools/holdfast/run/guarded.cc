// SPDX-License-Identifier: Apache-2.0

#include "run/guarded.h"

#include <chrono>

#include "interrupt.h"
#include "run/acquiring.h"
#include "run/conflict.h"
#include "run/startup.h"
#include "run/waiting_line.h"
#include "say.h"

namespace holdfast::cli {
namespace {

using Steady = std::chrono::steady_clock;

void say_acquired(const RunOptions& options, const RunHold& held, Duration took) {
  const std::string line = std::string(options.held) + " \"" + printable(options.name) +
                           "\" acquired after " +
                           std::to_string(std::chrono::duration<double>(took).count()) +
                           " s, token " + std::to_string(held.token().value);
  options.verbose ? say(line) : log(LogLevel::info, line);
}

}  // namespace

int run_guarded(const RunOptions& options) {
  Startup startup(options);
  const auto client = startup.open_client();
  if (!client) return fail(client.error());

  const auto asked = Steady::now();
  Result<std::unique_ptr<RunHold>> held = Errc::cancelled;
  const int signal = until_signal(startup.signals(), [&](const std::stop_token& stop) {
    const WaitingLine line(*client, options, startup.payload());
    held = acquire(*client, options, {.wait = options.wait, .stop = stop});
  });
  if (!held && held.error().code == Errc::timed_out) {
    return report_conflict(*client, options);
  }
  if (signal != 0) return kSignalled + signal;
  if (!held) return fail(held.error());
  say_acquired(options, **held, Steady::now() - asked);
  return startup.run(**held, *client);
}

}  // namespace holdfast::cli

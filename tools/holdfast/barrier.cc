// SPDX-License-Identifier: Apache-2.0

#include "holdfast/barrier.h"

#include <array>

#include "action.h"
#include "exit_codes.h"
#include "interrupt.h"
#include "json.h"
#include "run/barrier_run.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

template <class F>
int barrier_change(const Request& request, bool is_set, F&& make) {
  const auto client = open_client(request.common);
  if (!client) return fail(client.error());
  Barrier barrier(*client, request.name);
  const Result<bool> made = make(barrier);
  if (!made.has_value()) return fail(made.error());
  if (!request.common.json) return kOk;
  Json json;
  json.begin('{').key("name").value(request.name).key("set").value(is_set);
  print(json.key("done").value(*made).end().text());
  return kOk;
}

int barrier_set(const Request& request) {
  return barrier_change(request, true, [](Barrier& barrier) { return barrier.set(); });
}

int barrier_remove(const Request& request) {
  return barrier_change(request, false,
                        [](Barrier& barrier) { return barrier.remove(); });
}

int barrier_wait_removed(const Request& request) {
  const Descriptor signals = catch_signals();
  const auto client = open_observer(request.common);
  if (!client) return fail(client.error());
  Barrier barrier(*client, request.name);
  return wait_or_say(signals.get(), [&](const std::stop_token& stop) {
    return barrier.wait({.wait = request.wait, .stop = stop});
  });
}

int barrier_enter(const Request& request) {
  RunOptions options;
  options.common = request.common;
  options.name = request.name;
  options.command = request.command;
  options.wait = request.wait;
  return run_as_party(options, static_cast<std::uint32_t>(request.numbers[0]));
}

constexpr std::int64_t kMostParties = 1'000'000;
constexpr std::array kBarrierActions{
    Action{.name = "set", .perform = barrier_set},
    Action{.name = "remove", .perform = barrier_remove},
    Action{.name = "wait", .perform = barrier_wait_removed, .waits = true},
    Action{.name = "enter",
           .perform = barrier_enter,
           .least = 1,
           .most = 1,
           .from = 1,
           .to = kMostParties,
           .waits = true,
           .runs_command = true},
};

}  // namespace

int barrier(std::vector<std::string> args) {
  return perform(
      {.name = "barrier",
       .synopsis = "[OPTIONS] NAME set\n"
                   "       holdfast barrier [OPTIONS] NAME remove\n"
                   "       holdfast barrier [OPTIONS] NAME wait\n"
                   "       holdfast barrier [OPTIONS] NAME enter N [--] CMD [ARG...]",
       .purpose = "Stops all that wait at NAME until it is removed.\n"
                  "enter: waits until N are here, runs CMD, and waits until all of\n"
                  "them have finished.",
       .footer = "Exit status: 0 done, 75 the time had passed before; enter: that of\n"
                 "the command, as run.",
       .actions = kBarrierActions},
      std::move(args));
}

}  // namespace holdfast::cli

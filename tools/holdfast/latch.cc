// SPDX-License-Identifier: Apache-2.0

#include "holdfast/latch.h"

#include <array>

#include "action.h"
#include "exit_codes.h"
#include "interrupt.h"
#include "json.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

// Prints the count for a person or a program.
void print_count(const Request& request, std::int64_t count) {
  Json json;
  json.begin('{').key("name").value(request.name).key("count").value(count).end();
  print(request.common.json ? json.text() : std::to_string(count) + "\n");
}

int latch_set(const Request& request) {
  const auto client = open_client(request.common);
  if (!client) return fail(client.error());
  Latch latch(*client, request.name);
  const auto done = latch.set_count(request.numbers[0]);
  if (!done.has_value()) return fail(done.error());
  if (*done) {
    print_count(request, request.numbers[0]);
    return kOk;
  }
  return negative("already_set",
                  "latch \"" + printable(request.name) + "\" is closed already");
}

int latch_down(const Request& request) {
  const auto client = open_client(request.common);
  if (!client) return fail(client.error());
  const auto left = Latch(*client, request.name).count_down(request.number_or(1));
  if (!left) return fail(left.error());
  print_count(request, *left);
  return kOk;
}

int latch_count(const Request& request) {
  const auto client = open_observer(request.common);
  if (!client) return fail(client.error());
  const auto left = Latch(*client, request.name).count();
  if (!left) return fail(left.error());
  print_count(request, *left);
  return kOk;
}

int latch_wait_open(const Request& request) {
  const Descriptor signals = catch_signals();
  const auto client = open_observer(request.common);
  if (!client) return fail(client.error());
  Latch latch(*client, request.name);
  return wait_or_say(signals.get(), [&](const std::stop_token& stop) {
    return latch.wait({.wait = request.wait, .stop = stop});
  });
}

constexpr std::array kLatchActions{
    Action{.name = "set", .perform = latch_set, .least = 1, .most = 1, .from = 1},
    Action{.name = "down", .perform = latch_down, .most = 1, .from = 1},
    Action{.name = "wait", .perform = latch_wait_open, .waits = true},
    Action{.name = "count", .perform = latch_count},
};

}  // namespace

int latch(std::vector<std::string> args) {
  return perform({.name = "latch",
                  .synopsis = "[OPTIONS] NAME set N\n"
                              "       holdfast latch [OPTIONS] NAME down [N]\n"
                              "       holdfast latch [OPTIONS] NAME wait\n"
                              "       holdfast latch [OPTIONS] NAME count",
                  .purpose = "Closes NAME until it was counted down N times.\n"
                             "All but wait print how many times are left.",
                  .footer = "Exit status: 0 done, 1 set: it is closed already,\n"
                            "75 wait: it was still closed when the time had passed.",
                  .actions = kLatchActions},
                 std::move(args));
}

}  // namespace holdfast::cli

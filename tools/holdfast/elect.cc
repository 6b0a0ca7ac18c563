// SPDX-License-Identifier: Apache-2.0

#include "leaders.h"
#include "run/conflict.h"
#include "run/guarded.h"
#include "run/outer_hold.h"
#include "run/run_options.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kMostPayload = 200;  // bytes that every engine keeps

}  // namespace

int elect(std::vector<std::string> args) {
  RunOptions options;
  options.kind = engine::Kind::election;
  options.held = "leadership of";
  bool observe = false;
  RunLine line("elect",
               "[OPTIONS] NAME [--] CMD [ARG...]\n"
               "       holdfast elect [OPTIONS] NAME [--observe]",
               "Waits until this process leads NAME, and runs CMD while it does.\n"
               "Without CMD, prints the leader.",
               options);
  line.app()
      .add_option("--payload", options.payload,
                  "What other clients see; otherwise host:pid:command")
      ->type_name("TEXT");
  line.app().add_flag("--observe", observe,
                      "Print the leader, and every change until a signal comes");
  if (const auto over = line.parse(std::move(args))) return *over;

  if (options.command.empty()) {
    if (!options.payload.empty()) {
      return misused("elect", "--payload goes with a command");
    }
    return observe ? observe_leaders(options.common, options.name)
                   : show_leader(options.common, options.name);
  }
  if (observe) return misused("elect", "--observe goes without a command");
  if (options.payload.size() > kMostPayload) {
    return misused("elect", "--payload is at most 200 bytes long");
  }
  if (is_held_by_ancestor(options)) return refuse_to_wait_for_itself("elect", options);
  return run_guarded(options);
}

}  // namespace holdfast::cli

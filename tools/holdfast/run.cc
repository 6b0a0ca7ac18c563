// SPDX-License-Identifier: Apache-2.0

#include "run/conflict.h"
#include "run/guarded.h"
#include "run/kinds.h"
#include "run/outer_hold.h"
#include "run/run_options.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {
int run(std::vector<std::string> args) {
  RunOptions options;
  RunLine line(
      "run",
      "[OPTIONS] NAME [--] CMD [ARG...]\n       holdfast run [OPTIONS] NAME -c STRING",
      "Runs CMD while holding the lock NAME.", options);
  Kinds kinds;
  kinds.add_to(line.app(), options.permits);
  bool nested = false;
  line.app().add_flag("--nested", nested,
                      "Where a run around this one has it, run CMD under that hold");
  if (const auto over = line.parse(std::move(args))) return *over;
  if (options.command.empty()) return misused("run", "the command is missing");
  kinds.choose(options);
  if (is_held_by_ancestor(options)) {
    return nested && may_join_outer_hold(options)
               ? join_outer_hold(options)
               : refuse_to_wait_for_itself("run", options);
  }
  return run_guarded(options);
}

}  // namespace holdfast::cli

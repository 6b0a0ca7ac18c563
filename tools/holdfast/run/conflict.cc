// SPDX-License-Identifier: Apache-2.0

#include "run/conflict.h"

#include <string>

#include "report.h"
#include "run/outer_hold.h"
#include "say.h"

namespace holdfast::cli {

int report_conflict(const Client& client, const RunOptions& options) {
  const auto status = inspect(client, {options.kind, options.name});
  if (!status) return fail(status.error());
  return fail(
      conflict(*status, options.common.as_arguments(), options.conflict_exit_code));
}

int refuse_to_wait_for_itself(std::string_view verb, const RunOptions& options) {
  std::string instead;
  if (may_join_outer_hold(options)) {
    instead = ", or with run --nested under the outer hold";
  } else if (options.kind == engine::Kind::shared_mutex) {
    instead = ", or let the outer run take it with --write";
  }
  return misused(verb, std::string(options.held) + " \"" + printable(options.name) +
                           "\" is held by a run around this one, which waits for it "
                           "to end; run the command without holdfast" +
                           instead);
}

}  // namespace holdfast::cli

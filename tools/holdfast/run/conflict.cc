// SPDX-License-Identifier: Apache-2.0

#include "run/conflict.h"

#include <string>

#include "report.h"
#include "say.h"

namespace holdfast::cli {

int report_conflict(const Client& client, const RunOptions& options) {
  const auto status = inspect(client, {options.kind, options.name});
  if (!status) return fail(status.error());
  return fail(
      conflict(*status, options.common.as_arguments(), options.conflict_exit_code));
}

int refuse_to_wait_for_itself(std::string_view verb, const RunOptions& options) {
  const bool can_join = options.kind != engine::Kind::election;
  return misused(verb,
                 std::string(options.held) + " \"" + printable(options.name) +
                     "\" is held by a run around this one, which waits for it "
                     "to end; run the command without holdfast" +
                     (can_join ? ", or with run --nested under the outer hold" : ""));
}

}  // namespace holdfast::cli

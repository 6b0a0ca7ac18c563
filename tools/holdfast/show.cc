// SPDX-License-Identifier: Apache-2.0

#include "engine_report.h"
#include "exit_codes.h"
#include "holdfast/names.h"
#include "options.h"
#include "report.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {

int show(std::vector<std::string> args) {
  CommonOptions common;
  std::string name;
  bool engine = false;
  Verb verb("show", "[OPTIONS] NAME | --engine",
            "Shows the holders and the waiters of NAME, or what the engine promises.");
  auto* of_name = verb.app().add_option("NAME", name, "What is locked");
  verb.app()
      .add_flag("--engine", engine, "The servers, and what the engine promises")
      ->excludes(of_name);
  verb.add_common(common);
  verb.app().footer("Exit status: 0 shown, 1 nothing of this name is in use.");
  if (const auto over = verb.parse(std::move(args))) return *over;
  if (engine) return show_engine(common);
  if (of_name->count() == 0) return misused("show", "give a NAME, or --engine");
  if (const auto good = check_name(name); !good) return fail(good.error());

  const auto client = open_observer(common);
  if (!client) return fail(client.error());
  const auto statuses = inspect(*client, name);
  if (!statuses) return fail(statuses.error());

  if (common.json) {
    Json json;
    json.begin('[');
    for (const ResourceStatus& status : *statuses) write_json(json, status);
    print(json.end().text());
  } else {
    for (const ResourceStatus& status : *statuses) print(detail_text(status));
  }
  if (!statuses->empty()) return kOk;
  return negative("not_in_use", "nothing named \"" + printable(name) + "\" is in use");
}

}  // namespace holdfast::cli

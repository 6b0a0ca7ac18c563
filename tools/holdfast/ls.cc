// SPDX-License-Identifier: Apache-2.0

#include "exit_codes.h"
#include "options.h"
#include "report.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {

int ls(std::vector<std::string> args) {
  CommonOptions common;
  std::string prefix;
  Verb verb("ls", "[OPTIONS] [PREFIX]", "Lists what is held, awaited or stored.");
  verb.app().add_option("PREFIX", prefix,
                        "Only names that start with it; otherwise all");
  verb.add_common(common);
  if (const auto over = verb.parse(std::move(args))) return *over;

  const auto client = open_observer(common);
  if (!client) return fail(client.error());
  const auto statuses = list(*client, prefix);
  if (!statuses) return fail(statuses.error());

  if (!common.json) {
    print(table_text(*statuses));
    return kOk;
  }
  Json json;
  json.begin('[');
  for (const ResourceStatus& status : *statuses) write_json(json, status);
  print(json.end().text());
  return kOk;
}

}  // namespace holdfast::cli

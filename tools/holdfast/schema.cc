// SPDX-License-Identifier: Apache-2.0

#include "holdfast/schema.h"

#include "exit_codes.h"
#include "json.h"
#include "options.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {

int schema(std::vector<std::string> args) {
  CommonOptions common;
  std::string engine;
  Verb verb("schema", "[OPTIONS] ENGINE",
            "Prints the script that makes the tables of an engine: mysql.\n"
            "It asks no server.");
  verb.app().add_option("ENGINE", engine, "As in a URL: mysql")->required();
  verb.add_output(common);
  verb.app().footer(
      "Exit status: 0 printed, 78 the engine needs no tables, or is not there.\n"
      "For example: holdfast schema mysql | mariadb -u root shop");
  if (const auto over = verb.parse(std::move(args))) return *over;

  const auto script = holdfast::schema(engine);
  if (!script) return fail({script.error().code, printable(script.error().context)});
  Json json;
  json.begin('{').key("engine").value(engine).key("script").value(*script).end();
  print(common.json ? json.text() : std::string(*script));
  return kOk;
}

}  // namespace holdfast::cli

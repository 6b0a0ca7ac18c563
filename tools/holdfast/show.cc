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
  Verb verb("show", "[OPTIONS] NAME", "Shows who holds NAME, and who waits for it.");
  verb.app().add_option("NAME", name, "What is locked")->required();
  verb.add_common(common);
  verb.app().footer("Exit status: 0 shown, 1 nothing of this name is in use.");
  if (const auto over = verb.parse(std::move(args))) return *over;
  if (const auto good = check_name(name); !good) return fail(good.error());

  const auto client = open_client(common);
  if (!client) return fail(client.error());
  const auto standings = look_named(*client, name);
  if (!standings) return fail(standings.error());

  if (common.json) {
    Json json;
    json.begin('[');
    for (const Standing& standing : *standings) write_json(json, standing);
    print(json.end().text());
  } else {
    for (const Standing& standing : *standings) print(detail_text(standing));
    if (standings->empty()) say("nothing named \"" + printable(name) + "\" is in use");
  }
  return standings->empty() ? kNothing : kOk;
}

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

#include "exit_codes.h"
#include "holdfast/admin.h"
#include "holdfast/names.h"
#include "json.h"
#include "options.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {

int rm(std::vector<std::string> args) {
  CommonOptions common;
  std::string name;
  std::optional<engine::Kind> kind;
  Verb verb(
      "rm", "[OPTIONS] NAME",
      "Removes the number that is stored under NAME, so that any kind can use it.");
  verb.app().add_option("NAME", name, "What is removed")->required();
  verb.app()
      .add_option_function<std::string>(
          "--kind",
          [&](const std::string& text) {
            kind = kind_named(text);
            if (!kind) {
              throw CLI::ValidationError("'" + printable(text) +
                                         "' is not a kind: see holdfast ls");
            }
          },
          "Only if it is a counter, shared_count, semaphore, latch, ...")
      ->type_name("K");
  verb.add_common(common);
  verb.app().footer(
      "Exit status: 0 removed, 1 nothing is stored, 65 it is another kind, 75 it is\n"
      "held or awaited.");
  if (const auto over = verb.parse(std::move(args))) return *over;
  if (const auto good = check_name(name); !good) return fail(good.error());

  const auto client = open_observer(common);
  if (!client) return fail(client.error());
  const auto removed = remove(*client, name, kind);
  if (!removed.has_value()) return fail(removed.error());
  if (common.json) {
    Json json;
    json.begin('{').key("name").value(name).key("removed").value(*removed).end();
    print(json.text());
  }
  if (*removed) return kOk;
  return negative("nothing_stored",
                  "nothing is stored under \"" + printable(name) + "\"");
}

}  // namespace holdfast::cli

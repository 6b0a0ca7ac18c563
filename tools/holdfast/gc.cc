// SPDX-License-Identifier: Apache-2.0

#include "exit_codes.h"
#include "holdfast/clock.h"
#include "holdfast/engine/session.h"
#include "json.h"
#include "options.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {

using namespace std::chrono_literals;

int gc(std::vector<std::string> args) {
  CommonOptions common;
  Duration older = 24h * 7;
  Verb verb("gc", "[OPTIONS]",
            "Removes what an engine keeps of unused names.\n"
            "Tokens go on growing, also on a name that was removed.");
  verb.add_duration("--older-than", older,
                    "Only names that were not used for so long; otherwise 7d");
  verb.add_common(common);
  if (const auto over = verb.parse(std::move(args))) return *over;

  const auto client = open_observer(common);
  if (!client) return fail(client.error());
  const auto removed = client->session().sweep(
      std::chrono::ceil<std::chrono::seconds>(older), Clock::now() + 10min);
  if (!removed) return fail(removed.error());

  Json json;
  json.begin('{').key("removed").value(*removed).end();
  print(common.json ? json.text()
                    : std::to_string(*removed) + (*removed == 1 ? " name" : " names") +
                          " removed\n");
  return kOk;
}

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

#include "help.h"

#include <algorithm>
#include <sstream>

#include "exit_codes.h"
#include "holdfast/client.h"
#include "json.h"
#include "options.h"
#include "say.h"
#include "suggest.h"
#include "verbs.h"

namespace holdfast::cli {

std::string help_text() {
  std::string text = "Usage: holdfast VERB [OPTIONS] ...\n\n";
  for (const Entrance& each : all_verbs()) {
    if (each.purpose.empty()) continue;
    text += "  " + std::string(each.verb) + std::string(11 - each.verb.size(), ' ') +
            std::string(each.purpose) + "\n";
  }
  return text +
         "\n  holdfast VERB --help   the options of a verb\n"
         "  holdfast --version     the version, and the engines there are\n\n"
         "The engine is chosen by --url URL or --config FILE after the verb, by\n"
         "HOLDFAST_URL, or is local: this user's processes on this host. A DUR is\n"
         "written 500ms, 3s, 2m, 1h or 1d; a number alone is in seconds.\n";
}

const Entrance* find_verb(std::string_view name) {
  const auto verbs = all_verbs();
  const auto found =
      std::find_if(verbs.begin(), verbs.end(),
                   [&](const Entrance& each) { return each.verb == name; });
  return found == verbs.end() ? nullptr : &*found;
}

int unknown_verb(std::string_view name) {
  std::vector<std::string> known;
  for (const Entrance& each : all_verbs()) {
    if (!each.purpose.empty()) known.emplace_back(each.verb);
  }
  return misused(
      "", "there is no verb '" + printable(name) + "'" + did_you_mean(name, known));
}

int help(std::vector<std::string> args) {
  CommonOptions common;
  std::string of;
  Verb verb("help", "[VERB]", "Lists the verbs, or shows the options of one.");
  verb.app().add_option("VERB", of, "The verb whose options are shown");
  verb.add_output(common);
  if (const auto over = verb.parse(std::move(args))) return *over;
  if (of.empty()) {
    print(help_text());
    return kOk;
  }
  const Entrance* found = find_verb(of);
  return found != nullptr ? found->enter({"--help"}) : unknown_verb(of);
}

int version(std::vector<std::string> args) {
  CommonOptions common;
  Verb verb("version", "[OPTIONS]", "Prints the version, and the engines there are.");
  verb.add_output(common);
  if (const auto over = verb.parse(std::move(args))) return *over;
  const std::string number(holdfast::version());
  const std::string engines(holdfast::engines());
  Json json;
  json.begin('{').key("version").value(number).key("engines").begin('[');
  std::istringstream words(engines);
  for (std::string word; words >> word;) json.value(word);
  json.end().end();
  print(common.json ? json.text()
                    : "holdfast " + number + "\nengines: " + engines + "\n");
  return kOk;
}

}  // namespace holdfast::cli

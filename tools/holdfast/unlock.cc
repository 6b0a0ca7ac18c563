// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "exit_codes.h"
#include "former_holder.h"
#include "holdfast/names.h"
#include "interrupt.h"
#include "options.h"
#include "report.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

struct Ended {
  engine::Address address;
  engine::Entry entry;
  FormerHolder holder;
};

Result<std::vector<Ended>> end_claims(const Client& client, const std::string& name,
                                      const std::optional<std::uint64_t>& token) {
  const auto statuses = inspect(client, name);
  if (!statuses) return statuses.error();
  std::vector<Ended> ended;
  for (const ResourceStatus& status : *statuses) {
    for (const engine::Entry& entry : status.holders) {
      if (token && entry.token.value != *token) continue;
      FormerHolder holder(entry);
      const auto done = evict(client, status.address, entry.owner);
      if (done) {
        ended.push_back({status.address, entry, std::move(holder)});
      } else if (done.error().code != Errc::not_held) {
        return done.error();
      }
    }
  }
  return ended;
}

}  // namespace

int unlock(std::vector<std::string> args) {
  CommonOptions common;
  std::string name;
  std::optional<std::uint64_t> token;
  bool force = false;
  bool wait = false;
  Verb verb("unlock", "[OPTIONS] NAME --token N | --force",
            "Takes NAME away from its holder, which is told that it is lost.");
  verb.app().add_option("NAME", name, "What is locked")->required();
  auto* by_token =
      verb.app()
          .add_option("--token", token, "Only from the holder with this token")
          ->type_name("N");
  verb.app().add_flag("--force", force, "From every holder")->excludes(by_token);
  verb.app().add_flag(
      "--wait", wait,
      "Return when the holder's process has ended or its lease is over");
  verb.add_common(common);
  verb.app().footer(
      "Exit status: 0 taken away, 1 not held, or not under this token; with --wait,\n"
      "128+n when signal n ended the wait.\n"
      "A holder that does not watch for loss goes on working: fence what it writes.");
  if (const auto over = verb.parse(std::move(args))) return *over;
  if (!token && !force) return misused("unlock", "give --token N, or --force");
  if (const auto good = check_name(name); !good) return fail(good.error());

  const Descriptor signals = wait ? catch_signals() : Descriptor();
  const auto client = open_observer(common);
  if (!client) return fail(client.error());
  const auto ended = end_claims(*client, name, token);
  if (!ended) return fail(ended.error());

  if (common.json) {
    Json json;
    json.begin('[');
    for (const Ended& each : *ended) {
      write_json(json, ResourceStatus{each.address, {each.entry}, {}, {}});
    }
    print(json.end().text());
  } else {
    for (const Ended& each : *ended) {
      print("taken from " + who(each.entry) + "\n");
    }
  }
  for (const Ended& each : *ended) {
    const int signal = wait ? each.holder.wait(signals.get()) : 0;
    if (signal != 0) return kSignalled + signal;
    if (!common.json) print(each.holder.what_is_left() + "\n");
  }
  if (!ended->empty()) return kOk;
  return negative("not_held",
                  "\"" + printable(name) + "\" is not held" +
                      (token ? " under token " + std::to_string(*token) : ""));
}

}  // namespace holdfast::cli

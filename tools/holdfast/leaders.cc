// SPDX-License-Identifier: Apache-2.0

#include "leaders.h"

#include "exit_codes.h"
#include "holdfast/election.h"
#include "inbox.h"
#include "interrupt.h"
#include "report.h"
#include "say.h"

namespace holdfast::cli {
namespace {

std::string leader_json(const std::string& name, const std::optional<Leader>& leader) {
  Json json;
  json.begin('{').key("name").value(name).key("leader");
  if (!leader) return json.null().end().text();
  json.begin('{').key("payload").value(leader->payload);
  json.key("owner").value(leader->owner);
  json.key("token").value(leader->token.value).key("since");
  leader->since ? json.value(iso_time(*leader->since)) : json.null();
  return json.end().end().text();
}

std::string leader_text(const Leader& leader) {
  return printable(leader.payload.empty() ? leader.owner : leader.payload) + "\n";
}

}  // namespace

int show_leader(const CommonOptions& common, const std::string& name) {
  const auto client = open_observer(common);
  if (!client) return fail(client.error());
  Election election(*client, name);
  const auto leader = election.leader();
  if (!leader) return fail(leader.error());
  if (common.json) {
    print(leader_json(name, *leader));
  } else if (*leader) {
    print(leader_text(**leader));
  }
  if (*leader) return kOk;
  return negative("no_leader", "\"" + printable(name) + "\" has no leader");
}

int observe_leaders(const CommonOptions& common, const std::string& name) {
  const Descriptor signals = catch_signals();
  Inbox inbox;
  const auto client = open_observer(common);
  if (!client) return fail(client.error());
  Election election(*client, name);
  const auto news = election.observe(
      [&](const std::optional<Leader>& leader) {
        print(common.json ? leader_json(name, leader)
              : leader    ? leader_text(*leader)
                          : "no leader\n");
      },
      [&](std::function<void()> task) { inbox.post(std::move(task)); });
  if (!news) return fail(news.error());
  return kSignalled + inbox.run_until_signal(signals.get());
}

}  // namespace holdfast::cli

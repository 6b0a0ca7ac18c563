// SPDX-License-Identifier: Apache-2.0

#include <array>

#include "action.h"
#include "exit_codes.h"
#include "holdfast/shared_count.h"
#include "json.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

int show_count(const Request& request, const Result<Versioned>& count) {
  if (!count) return fail(count.error());
  Json json;
  json.begin('{').key("name").value(request.name).key("value").value(count->number);
  json.key("version").value(count->version).end();
  print(request.common.json ? json.text() : std::to_string(count->number) + "\n");
  return kOk;
}

int count_get(const Request& request) {
  const auto client = open_observer(request.common);
  if (!client) return fail(client.error());
  return show_count(request, SharedCount(*client, request.name).get());
}

int count_set(const Request& request) {
  const auto client = open_client(request.common);
  if (!client) return fail(client.error());
  return show_count(request,
                    SharedCount(*client, request.name).set(request.numbers[0]));
}

constexpr std::array kCountActions{
    Action{.name = "get", .perform = count_get},
    Action{.name = "set", .perform = count_set, .least = 1, .most = 1},
};

}  // namespace

int count(std::vector<std::string> args) {
  return perform(
      {.name = "count",
       .synopsis = "[OPTIONS] NAME get\n"
                   "       holdfast count [OPTIONS] NAME set N",
       .purpose = "Reads and sets a shared count, and prints the number after that.\n"
                  "Its version changes with every change of the number.",
       .footer = "Exit status: 0 done.",
       .actions = kCountActions},
      std::move(args));
}

}  // namespace holdfast::cli

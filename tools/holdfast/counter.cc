// SPDX-License-Identifier: Apache-2.0

#include "holdfast/counter.h"

#include <array>

#include "action.h"
#include "exit_codes.h"
#include "json.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

int counter_get(const Request& request) {
  const auto client = open_observer(request.common);
  if (!client) return fail(client.error());
  const auto number = Counter(*client, request.name).get();
  if (!number) return fail(number.error());
  Json json;
  json.begin('{').key("name").value(request.name).key("value").value(*number).end();
  print(request.common.json ? json.text() : std::to_string(*number) + "\n");
  return kOk;
}

template <class F>
int counter_change(const Request& request, F&& make) {
  const auto client = open_client(request.common);
  if (!client) return fail(client.error());
  Counter counter(*client, request.name);
  const Result<Change> made = make(counter);
  if (!made) return fail(made.error());
  Json json;
  json.begin('{').key("name").value(request.name).key("done").value(made->done);
  json.key("before").value(made->before).key("after").value(made->after);
  json.key("tries").value(made->tries).end();
  print(request.common.json ? json.text() : std::to_string(made->after) + "\n");
  return made->done ? kOk : kNothing;
}

int counter_add(const Request& request) {
  return counter_change(request,
                        [&](Counter& it) { return it.add(request.number_or(1)); });
}

int counter_set(const Request& request) {
  return counter_change(request,
                        [&](Counter& it) { return it.exchange(request.numbers[0]); });
}

int counter_cas(const Request& request) {
  return counter_change(request, [&](Counter& it) {
    return it.compare_exchange(request.numbers[0], request.numbers[1]);
  });
}

constexpr std::array kCounterActions{
    Action{.name = "get", .perform = counter_get},
    Action{.name = "add", .perform = counter_add, .most = 1},
    Action{.name = "set", .perform = counter_set, .least = 1, .most = 1},
    Action{.name = "cas", .perform = counter_cas, .least = 2, .most = 2},
};

}  // namespace

int counter(std::vector<std::string> args) {
  return perform(
      {.name = "counter",
       .synopsis = "[OPTIONS] NAME get\n"
                   "       holdfast counter [OPTIONS] NAME add [N]\n"
                   "       holdfast counter [OPTIONS] NAME set N\n"
                   "       holdfast counter [OPTIONS] NAME cas FROM TO",
       .purpose = "Reads and changes a number, and prints the number after that.\n"
                  "cas changes it to TO if it is FROM.",
       .footer = "Exit status: 0 done, 1 cas found another number.",
       .actions = kCounterActions},
      std::move(args));
}

}  // namespace holdfast::cli

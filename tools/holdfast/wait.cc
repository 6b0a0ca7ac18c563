// SPDX-License-Identifier: Apache-2.0

#include "exit_codes.h"
#include "holdfast/names.h"
#include "interrupt.h"
#include "options.h"
#include "report.h"
#include "say.h"
#include "verbs.h"
#include "wait_free.h"

namespace holdfast::cli {

int wait(std::vector<std::string> args) {
  CommonOptions common;
  WaitLimit limit;
  std::string name;
  Verb verb("wait", "[OPTIONS] NAME",
            "Waits until no client holds NAME or waits for it, without taking it.");
  verb.app().add_option("NAME", name, "What is locked")->required();
  verb.add_wait(limit, "at all");
  verb.add_common(common);
  verb.app().footer(
      "Exit status: 0 it is free, 75 it was not when the time had passed,\n"
      "128+n signal n ended the wait.");
  if (const auto over = verb.parse(std::move(args))) return *over;
  if (const auto good = check_name(name); !good) return fail(good.error());

  const Descriptor signals = catch_signals();
  const auto client = open_observer(common);
  if (!client) return fail(client.error());
  Result<std::vector<ResourceStatus>> in_the_way = Errc::cancelled;
  const int signal = until_signal(signals.get(), [&](const std::stop_token& stop) {
    in_the_way =
        wait_until_free(*client, name, {.wait = limit.timeout(), .stop = stop});
  });
  if (!in_the_way) return signal != 0 ? kSignalled + signal : fail(in_the_way.error());
  if (in_the_way->empty()) {
    Json json;
    json.begin('{').key("name").value(name).key("free").value(true).end();
    if (common.json) print(json.text());
    return kOk;
  }
  return fail(conflict(in_the_way->front(), common.as_arguments(), kNotAcquired));
}

}  // namespace holdfast::cli

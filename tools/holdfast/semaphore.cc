// SPDX-License-Identifier: Apache-2.0

#include "holdfast/semaphore.h"

#include <array>

#include "action.h"
#include "exit_codes.h"
#include "json.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

int show_permits(const Request& request, std::uint32_t permits,
                 const Result<std::uint32_t>& available) {
  if (!available) return fail(available.error());
  Json json;
  json.begin('{').key("name").value(request.name).key("permits").value(permits);
  json.key("available").value(*available).end();
  print(request.common.json ? json.text() : std::to_string(permits) + "\n");
  return kOk;
}

int semaphore_get(const Request& request) {
  const auto client = open_observer(request.common);
  if (!client) return fail(client.error());
  Semaphore semaphore(*client, request.name);
  const auto permits = semaphore.permits();
  if (!permits) return fail(permits.error());
  return show_permits(request, *permits, semaphore.available());
}

int semaphore_set(const Request& request) {
  const auto client = open_client(request.common);
  if (!client) return fail(client.error());
  Semaphore semaphore(*client, request.name);
  const auto permits = static_cast<std::uint32_t>(request.numbers[0]);
  const auto done = semaphore.set_permits(permits);
  if (!done) return fail(done.error());
  return show_permits(request, permits, semaphore.available());
}

constexpr std::int64_t kMostPermits = 1'000'000'000;
constexpr std::array kSemaphoreActions{
    Action{.name = "get", .perform = semaphore_get},
    Action{.name = "set",
           .perform = semaphore_set,
           .least = 1,
           .most = 1,
           .from = 1,
           .to = kMostPermits},
};

}  // namespace

int semaphore(std::vector<std::string> args) {
  return perform(
      {.name = "semaphore",
       .synopsis = "[OPTIONS] NAME get\n"
                   "       holdfast semaphore [OPTIONS] NAME set N",
       .purpose =
           "Reads and changes how many permits there are: `run --permits`.\n"
           "Permits that are taken away disappear as their holders give them back.",
       .footer = "Exit status: 0 done.",
       .actions = kSemaphoreActions},
      std::move(args));
}

}  // namespace holdfast::cli

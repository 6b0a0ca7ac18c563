// SPDX-License-Identifier: Apache-2.0

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <stop_token>

#include "exit_codes.h"
#include "holdfast/admin.h"
#include "holdfast/client_options.h"
#include "holdfast/names.h"
#include "interrupt.h"
#include "json.h"
#include "run/acquiring.h"
#include "run/conflict.h"
#include "run/kinds.h"
#include "run/outer_hold.h"
#include "run/waiting_line.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

struct HoldOptions : RunOptions {
  WaitLimit limit;
  std::optional<Duration> ttl, fixed;
  Kinds kinds;
};

std::optional<int> parse(std::vector<std::string> args, HoldOptions& into) {
  Verb verb("hold", "[OPTIONS] NAME",
            "Holds the lock NAME until standard input ends or a signal comes, and\n"
            "prints its token.");
  CLI::App& app = verb.app();
  app.add_option("NAME", into.name, "What is locked")->required();
  verb.add_wait(into.limit, "for it");
  app.add_option("-E,--conflict-exit-code", into.conflict_exit_code,
                 "Exit status when it was not acquired; otherwise 75")
      ->type_name("N")
      ->check(CLI::Range(0, 255).description(""));
  auto* renewed = verb.add_duration("--ttl", into.ttl, "Lease of the lock, renewed");
  verb.add_duration("--lease", into.fixed, "Lease of the lock, not renewed")
      ->excludes(renewed);
  into.kinds.add_to(app, into.permits);
  verb.add_common(into.common);
  app.footer(
      "Exit status: 0 given back when standard input ended, 128+n on signal n, 75 not\n"
      "acquired (-E), 76 lost.");
  if (const auto over = verb.parse(std::move(args))) return over;
  if (const auto good = check_name(into.name); !good) return fail(good.error());
  const auto is_zero = [](const std::optional<Duration>& span) {
    return span && *span == Duration::zero();
  };
  if (is_zero(into.ttl) || is_zero(into.fixed)) {
    return misused("hold", "a lease must be longer than zero");
  }
  using std::chrono::milliseconds;
  if (into.ttl) into.lease.ttl = std::chrono::ceil<milliseconds>(*into.ttl);
  if (into.fixed) {
    into.lease = LeaseOptions::fixed(std::chrono::ceil<milliseconds>(*into.fixed));
  }
  into.wait = into.limit.timeout();
  into.kinds.choose(into);
  return std::nullopt;
}

void print_token(const HoldOptions& options, const RunHold& held) {
  Json json;
  json.begin('{').key("name").value(options.name);
  json.key("kind").value(kind_name(options.kind));
  json.key("token").value(held.token().value).end();
  print(options.common.json ? json.text() : std::to_string(held.token().value) + "\n");
}

// Reads and discards the input. Returns true when it has ended.
bool has_ended(int input) {
  std::array<char, 4096> bytes;
  const ssize_t size = read(input, bytes.data(), bytes.size());
  return size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN);
}

// Waits until standard input ends, a signal comes or the lock is lost, and returns the
// exit code.
int keep(RunHold& held, int signals) {
  const Descriptor lost(eventfd(0, EFD_CLOEXEC));
  const std::stop_callback on_lost(held.lost(), [&] {
    const std::uint64_t one = 1;
    (void)!write(lost.get(), &one, sizeof one);
  });
  for (;;) {
    std::array<pollfd, 3> ready{
        {{STDIN_FILENO, POLLIN, 0}, {signals, POLLIN, 0}, {lost.get(), POLLIN, 0}}};
    poll(ready.data(), ready.size(), -1);
    if (ready[2].revents != 0) return kLost;
    if (ready[1].revents != 0) {
      if (const int number = next_signal(signals)) return kSignalled + number;
    }
    if (ready[0].revents != 0 && has_ended(STDIN_FILENO)) return kOk;
  }
}

}  // namespace

int hold(std::vector<std::string> args) {
  HoldOptions options;
  if (const auto over = parse(std::move(args), options)) return *over;
  if (is_held_by_ancestor(options)) return refuse_to_wait_for_itself("hold", options);

  const Descriptor signals = catch_signals();
  ClientOptions settings;
  if (options.ttl) settings.ttl = options.lease.ttl;
  const auto client = open_client(options.common, std::move(settings));
  if (!client) return fail(client.error());
  Result<std::unique_ptr<RunHold>> held = Errc::cancelled;
  const int signal = until_signal(signals.get(), [&](const std::stop_token& stop) {
    const WaitingLine line(*client, options, {});
    held = acquire(*client, options, {.wait = options.wait, .stop = stop});
  });
  if (!held && held.error().code == Errc::timed_out) {
    return report_conflict(*client, options);
  }
  if (signal != 0) return kSignalled + signal;
  if (!held) return fail(held.error());

  print_token(options, **held);
  const int code = keep(**held, signals.get());
  const auto released = (*held)->release();
  const bool gone = !released && released.error().code == Errc::not_held;
  if (code != kLost && !gone) return released ? code : fail(released.error());
  return fail({.error = "lost",
               .message = std::string(options.held) + " \"" + printable(options.name) +
                          "\" was lost",
               .exit_code = kLost});
}

}  // namespace holdfast::cli

#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "exit_codes.h"
#include "report.h"
#include "run/run_options.h"
#include "run/signals.h"
#include "run/supervisor.h"
#include "run/tree.h"
#include "run/waiting.h"
#include "run/warden.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kMostPayload = 200;

std::string payload(const RunOptions& options) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::string text = std::string(host.data()) + ":" + std::to_string(getpid()) + ":";
  text += shell_word(options.command.front());
  for (std::size_t i = 1; options.show_command && i < options.command.size(); ++i) {
    text += " " + shell_word(options.command[i]);
  }
  return printable(text).substr(0, kMostPayload);
}

int report_conflict(const Client& client, const RunOptions& options) {
  const auto standing = look(client, {engine::Kind::mutex, options.name});
  if (!standing) return fail(standing.error());
  say_raw(options.common.json
              ? conflict_json(*standing)
              : conflict_text(*standing, options.common.as_arguments()));
  return options.conflict_exit_code;
}

void say_acquired(const RunOptions& options, const Hold& hold, Duration took) {
  say("lock \"" + printable(options.name) + "\" acquired after " +
      std::to_string(std::chrono::duration<double>(took).count()) + " s, token " +
      std::to_string(hold.token().value));
}

}  // namespace

int run(std::vector<std::string> args) {
  RunOptions options;
  if (const auto over = parse_run(std::move(args), options)) return *over;

  // The order matters: nothing before the warden may start a thread.
  const std::vector<pid_t> spared = children();
  sigset_t passed_on;
  const Inherited inherited = take_over_signals(passed_on);
  const Descriptor signals(signalfd(-1, &passed_on, SFD_CLOEXEC));
  become_reaper();
  Warden warden(options, inherited);

  ClientOptions client_options;
  client_options.payload = payload(options);
  const auto client = open_client(options.common, std::move(client_options));
  if (!client) return fail(client.error());

  const auto asked = std::chrono::steady_clock::now();
  Wait wait = wait_for_lock(*client, options, signals.get());
  if (!wait.hold) {
    const Failure& why = wait.hold.error();
    if (why.code == Errc::timed_out) return report_conflict(*client, options);
    if (wait.signal != 0) return kSignalled + wait.signal;
    return fail(why);
  }
  if (wait.signal != 0) return kSignalled + wait.signal;
  if (options.verbose) {
    say_acquired(options, *wait.hold, std::chrono::steady_clock::now() - asked);
  }
  Supervisor supervisor(options, warden, *std::move(wait.hold), signals.get(), spared);
  return supervisor.run(options.common.engine(), client->session().witness());
}

}  // namespace holdfast::cli

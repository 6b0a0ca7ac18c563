// SPDX-License-Identifier: Apache-2.0

#include "run/run_options.h"

#include <cstdlib>

#include "holdfast/names.h"
#include "run/signals.h"
#include "say.h"
#include "words.h"

namespace holdfast::cli {
namespace {

constexpr const char* kFooter =
    "Exit status: that of the command, 128+n if signal n ended it; 75 not acquired\n"
    "(-E), 76 lost, or its lease over, while the command ran, 64 usage, 65 bad name,\n"
    "69 engine not reachable, 73 storage full or not usable, 77 denied, 78 URL or\n"
    "configuration, 125 holdfast failed, 126 the command cannot be run, 127 it was\n"
    "not found.\n\n"
    "The command finds HOLDFAST_LOCK_HELD, HOLDFAST_LOCK_NAME, HOLDFAST_LOCK_KIND,\n"
    "HOLDFAST_LOCK_MODE, HOLDFAST_LOCK_SERVER, HOLDFAST_LOCK_WATCHDOG,\n"
    "HOLDFAST_TOKEN, HOLDFAST_TTL_MS, HOLDFAST_ENGINE and HOLDFAST_LOST_FD in its\n"
    "environment.";

std::string user_shell() {
  const char* shell = std::getenv("SHELL");
  return shell != nullptr && *shell != '\0' ? shell : "/bin/sh";
}

std::optional<OnLost> parse_on_lost(std::string_view text) {
  if (text == "term") return OnLost::term;
  if (text == "kill") return OnLost::kill;
  if (text == "warn") return OnLost::warn;
  return std::nullopt;
}

std::chrono::milliseconds in_ms(Duration span) {
  return std::chrono::ceil<std::chrono::milliseconds>(span);
}

}  // namespace

RunLine::RunLine(std::string verb, const std::string& synopsis, std::string purpose,
                 RunOptions& into)
    : verb_(std::move(verb), synopsis, std::move(purpose)), into_(into) {
  CLI::App& app = verb_.app();
  into.verb = verb_.name();
  verb_.add_wait(wait_, "for it");
  app.add_option("-E,--conflict-exit-code", into.conflict_exit_code,
                 "Exit status when it was not acquired; otherwise 75")
      ->type_name("N")
      ->check(CLI::Range(0, 255).description(""));
  app.add_option("-c,--command", shell_command_, "Run STRING in $SHELL")
      ->type_name("STRING");
  app.add_flag("-o,--close", into.close,
               "Do not let the command inherit the liveness descriptor");
  app.add_flag("--foreground", into.foreground,
               "Leave the command in this process group, as on a terminal");
  auto* renewed = verb_.add_duration("--ttl", ttl_, "Lease of the lock, renewed");
  verb_.add_duration("--lease", lease_, "Lease of the lock, not renewed")
      ->excludes(renewed);
  verb_.add_duration("--at-least", into.at_least,
                     "Keep the lock so long even if the command ends earlier");
  verb_.add_duration("-k,--kill-after", into.kill_after,
                     "Time from --signal to SIGKILL after a loss; otherwise 5s");
  app.add_option("--signal", signal_, "Sent to the command on loss; otherwise TERM")
      ->type_name("SIG");
  app.add_option("--on-lost", on_lost_, "What becomes of the command; otherwise term")
      ->type_name("term|kill|warn");
  app.add_flag("--preserve-status", into.preserve_status,
               "The command's exit status even after a loss");
  app.add_flag("--show-command", into.show_command,
               "Show others the whole command line, not its first word");
  app.add_option("--description", into.description,
                 "What it is for, shown to others beside the command")
      ->type_name("TEXT");
  verbose_ =
      app.add_flag("--verbose", into.verbose, "Say how long it took to get the lock");
}

std::optional<int> RunLine::parse(std::vector<std::string> args) {
  verb_.add_common(into_.common);
  verbose_->excludes(app().get_option("--quiet"));
  app().footer(kFooter);
  Words parts = split(app(), std::move(args), 2);
  if (const auto over = verb_.parse(std::move(parts.flags))) return over;
  into_.wait = wait_.timeout();
  if (const auto over = take_words(std::move(parts.words))) return over;
  return take_texts();
}

std::optional<int> RunLine::take_words(std::vector<std::string> words) {
  if (words.empty()) return misused(verb_.name(), "NAME is missing");
  into_.name = words.front();
  into_.command.assign(words.begin() + 1, words.end());
  if (shell_command_) {
    if (!into_.command.empty()) {
      return misused(verb_.name(), "give a command or -c STRING, not both");
    }
    into_.command = {user_shell(), "-c", *shell_command_};
  }
  const auto good = check_name(into_.name);
  if (!good) return fail(good.error());
  return std::nullopt;
}

std::optional<int> RunLine::take_texts() {
  const auto number = parse_signal(signal_);
  if (!number) {
    return misused(verb_.name(), "'" + printable(signal_) + "' is not a signal");
  }
  into_.signal = *number;
  const auto policy = parse_on_lost(on_lost_);
  if (!policy) return misused(verb_.name(), "--on-lost is term, kill or warn");
  into_.on_lost = *policy;
  if ((ttl_ && *ttl_ == Duration::zero()) || (lease_ && *lease_ == Duration::zero())) {
    return misused(verb_.name(), "a lease must be longer than zero");
  }
  if (ttl_) into_.lease.ttl = in_ms(*ttl_);
  if (lease_) into_.lease = LeaseOptions::fixed(in_ms(*lease_));
  return std::nullopt;
}

}  // namespace holdfast::cli

#include "run/run_options.h"

#include <cstdlib>
#include <string_view>

#include "exit_codes.h"
#include "holdfast/names.h"
#include "run/signals.h"
#include "say.h"

namespace holdfast::cli {
namespace {

constexpr const char* kFooter =
    "Exit status: that of the command, 128+n if signal n ended it; 75 not acquired\n"
    "(-E), 76 lost while the command ran, 64 usage, 65 bad name, 69 engine not\n"
    "reachable, 73 storage full or not usable, 77 denied, 78 URL or configuration,\n"
    "125 holdfast failed, 126 the command cannot be run, 127 it was not found.\n\n"
    "The command finds HOLDFAST_LOCK_HELD, HOLDFAST_LOCK_NAME, HOLDFAST_TOKEN,\n"
    "HOLDFAST_TTL_MS, HOLDFAST_ENGINE and HOLDFAST_LOST_FD in its environment.";

struct Split {
  std::vector<std::string> flags;
  std::vector<std::string> words;  // NAME, then the command
};

// Whether the last option in `arg` waits for its value in the next argument.
bool wants_next(const CLI::App& app, const std::string& arg) {
  const auto takes_value = [&](const std::string& flag) {
    const CLI::Option* option = app.get_option_no_throw(flag);
    return option != nullptr && option->get_items_expected_max() > 0;
  };
  if (arg.starts_with("--")) {
    return arg.find('=') == std::string::npos && takes_value(arg);
  }
  for (std::size_t i = 1; i < arg.size(); ++i) {
    if (takes_value({'-', arg[i]})) return i + 1 == arg.size();
  }
  return false;
}

// Options may stand before and after NAME. The next word, or `--`, begins the command,
// whose own options are left alone.
Split split(const CLI::App& app, std::vector<std::string> args) {
  Split out;
  std::size_t i = 0;
  while (i < args.size() && out.words.size() < 2) {
    std::string& arg = args[i];
    if (arg == "--") {
      ++i;
      break;
    }
    const bool flag = arg.size() > 1 && arg[0] == '-';
    const bool more = flag && wants_next(app, arg) && i + 1 < args.size();
    (flag ? out.flags : out.words).push_back(std::move(arg));
    ++i;
    if (more) out.flags.push_back(std::move(args[i++]));
  }
  out.words.insert(out.words.end(), args.begin() + static_cast<std::ptrdiff_t>(i),
                   args.end());
  return out;
}

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

std::optional<int> parse_run(std::vector<std::string> args, RunOptions& options) {
  bool nonblock = false;
  bool exclusive = false;
  std::optional<std::string> shell_command;
  std::string signal = "TERM";
  std::string on_lost = "term";
  std::optional<Duration> wait, ttl, lease;
  options.conflict_exit_code = kNotAcquired;

  Verb verb(
      "run",
      "[OPTIONS] NAME [--] CMD [ARG...]\n       holdfast run [OPTIONS] NAME -c STRING",
      "Runs CMD while holding the lock NAME.");
  CLI::App& app = verb.app();
  auto* now = app.add_flag("-n,--nb,--nonblock", nonblock, "Do not wait for the lock");
  verb.add_duration("-w,--wait,--timeout", wait, "Wait at most so long")->excludes(now);
  app.add_option("-E,--conflict-exit-code", options.conflict_exit_code,
                 "Exit status when the lock was not acquired; otherwise 75")
      ->type_name("N")
      ->check(CLI::Range(0, 255).description(""));
  app.add_flag("-x,-e,--exclusive", exclusive, "An exclusive lock: always so");
  app.add_option("-c,--command", shell_command, "Run STRING in $SHELL")
      ->type_name("STRING");
  app.add_flag("-o,--close", options.close,
               "Do not let the command inherit the witness descriptor");
  app.add_flag("--foreground", options.foreground,
               "Leave the command in this process group, as on a terminal");
  auto* renewed = verb.add_duration("--ttl", ttl, "Lease of the lock, renewed");
  verb.add_duration("--lease", lease, "Lease of the lock, not renewed")
      ->excludes(renewed);
  verb.add_duration("--at-least", options.at_least,
                    "Keep the lock so long even if the command ends earlier");
  verb.add_duration("-k,--kill-after", options.kill_after,
                    "From --signal to SIGKILL when the lock is lost; otherwise 5s");
  app.add_option("--signal", signal, "Sent to the command on loss; otherwise TERM")
      ->type_name("SIG");
  app.add_option("--on-lost", on_lost, "What becomes of the command; otherwise term")
      ->type_name("term|kill|warn");
  app.add_flag("--preserve-status", options.preserve_status,
               "The command's exit status even if the lock was lost");
  app.add_flag("--show-command", options.show_command,
               "Show others the whole command line, not its first word");
  app.add_flag("--verbose", options.verbose, "Say how long it took to get the lock");
  verb.add_common(options.common);
  app.footer(kFooter);

  Split parts = split(app, std::move(args));
  if (const auto over = verb.parse(parts.flags)) return over;

  if (parts.words.empty()) return misused("run", "NAME is missing");
  options.name = parts.words.front();
  options.command.assign(parts.words.begin() + 1, parts.words.end());
  if (shell_command) {
    if (!options.command.empty()) {
      return misused("run", "give a command or -c STRING, not both");
    }
    options.command = {user_shell(), "-c", *shell_command};
  }
  if (options.command.empty()) return misused("run", "the command is missing");

  const auto number = parse_signal(signal);
  if (!number) return misused("run", "'" + printable(signal) + "' is not a signal");
  options.signal = *number;
  const auto policy = parse_on_lost(on_lost);
  if (!policy) return misused("run", "--on-lost is term, kill or warn");
  options.on_lost = *policy;
  if (nonblock) options.wait = Timeout::zero();
  if (wait) options.wait = *wait;
  if ((ttl && *ttl == Duration::zero()) || (lease && *lease == Duration::zero())) {
    return misused("run", "a lease must be longer than zero");
  }
  if (ttl) options.lease.ttl = in_ms(*ttl);
  if (lease) options.lease = LeaseOptions::fixed(in_ms(*lease));

  const auto good = check_name(options.name);
  if (!good) return fail(good.error());
  return std::nullopt;
}

}  // namespace holdfast::cli

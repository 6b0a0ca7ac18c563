// SPDX-License-Identifier: Apache-2.0

// The command line program: `holdfast VERB ...`.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>

#include "exit_codes.h"
#include "help.h"
#include "holdfast/result.h"
#include "say.h"
#include "secrets.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

constexpr std::array kVerbs{
    Entrance{"run", run, "run a command while holding a lock"},
    Entrance{"hold", hold, "hold a lock until standard input ends"},
    Entrance{"elect", elect, "run a command while leading, or print the leader"},
    Entrance{"latch", latch, "count down from many places, and wait for zero"},
    Entrance{"barrier", barrier,
             "stop other processes and let them go on, or start together"},
    Entrance{"counter", counter, "read and change a number"},
    Entrance{"count", count, "read and set a number that has versions"},
    Entrance{"semaphore", semaphore, "read and set how many permits there are"},
    Entrance{"wait", wait, "wait until a name is free"},
    Entrance{"ls", ls, "list what is held, awaited or stored"},
    Entrance{"show", show, "show the holders and the waiters of a name"},
    Entrance{"unlock", unlock, "take a lock away from its holder"},
    Entrance{"rm", rm, "remove the number that is stored under a name"},
    Entrance{"gc", gc, "remove what is kept of unused names"},
    Entrance{"schema", schema, "print the script that makes the tables of an engine"},
#ifdef HOLDFAST_WITH_DEMO
    Entrance{"demo", demo, "a flash sale with and without locks", false},
#endif
    Entrance{"help", help, "list the verbs, or show the options of one"},
    Entrance{"version", version, "print the version, and the engines there are"},
    Entrance{"document", document, ""},
};

int enter(std::vector<std::string> args) {
  if (args.empty()) {
    std::string verbs = "\n" + help_text();
    verbs.pop_back();  // The hint is a single line.
    return fail({.error = "usage",
                 .message = "a verb is missing",
                 .exit_code = kUsage,
                 .hint = std::move(verbs)});
  }
  const std::string verb = args.front();
  args.erase(args.begin());
  if (verb == "--help" || verb == "-h") return help(std::move(args));
  if (verb == "--version" || verb == "-V") return version(std::move(args));
  if (const Entrance* found = find_verb(verb)) return found->enter(std::move(args));
  set_output({.json = std::find(args.begin(), args.end(), "--json") != args.end()});
  if (!verb.starts_with('-')) return unknown_verb(verb);
  return misused("", "options come after a verb: '" + printable(verb) + "' is none");
}

// The next file that is opened would get the number of a closed descriptor, and the
// output would go there.
void keep_stdio_open() {
  int fd;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

}  // namespace

std::span<const Entrance> all_verbs() { return kVerbs; }

}  // namespace holdfast::cli

int main(int argc, char** argv) {
  try {
    holdfast::cli::keep_stdio_open();
    std::vector<std::string> args(argv + std::min(argc, 1), argv + argc);
    std::for_each(argv, argv + argc, holdfast::cli::cover_up);
    return holdfast::cli::enter(std::move(args));
  } catch (const holdfast::Error& e) {
    return holdfast::cli::fail(e.failure());
  } catch (const std::exception& e) {
    return holdfast::cli::fail({holdfast::Errc::internal, e.what()});
  }
}

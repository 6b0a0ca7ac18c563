// The command line program: `holdfast VERB ...`.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>

#include "exit_codes.h"
#include "holdfast/client.h"
#include "say.h"
#include "secrets.h"
#include "verbs.h"
#ifdef HOLDFAST_WITH_DEMO
#include "demo/demo.h"
#endif

namespace holdfast::cli {
namespace {

struct Entrance {
  std::string_view verb;
  int (*enter)(std::vector<std::string> args);
  std::string_view purpose;
};

constexpr std::array kVerbs{
    Entrance{"run", run, "run a command while holding a lock"},
    Entrance{"elect", elect, "run a command while leading, or print who leads"},
    Entrance{"latch", latch, "count down from many places, and wait for zero"},
    Entrance{"barrier", barrier, "stop others and let them go on, or start together"},
    Entrance{"counter", counter, "read and change a number"},
    Entrance{"wait", wait, "wait until nobody holds a name"},
    Entrance{"ls", ls, "list what is held, awaited or stored"},
    Entrance{"show", show, "show who holds a name, and who waits for it"},
    Entrance{"unlock", unlock, "take a lock away from its holder"},
    Entrance{"gc", gc, "remove what is kept of names that nobody uses"},
    Entrance{"schema", schema, "print the tables that an engine wants"},
#ifdef HOLDFAST_WITH_DEMO
    Entrance{"demo", demo::main, "a flash sale with and without locks"},
#endif
};

int help() {
  std::string text = "Usage: holdfast VERB [OPTIONS] ...\n\n";
  for (const Entrance& each : kVerbs) {
    text += "  " + std::string(each.verb) + std::string(10 - each.verb.size(), ' ') +
            std::string(each.purpose) + "\n";
  }
  print(text +
        "\n  holdfast VERB --help   the options of a verb\n"
        "  holdfast --version     the version, and the engines built in\n\n"
        "The engine is chosen by --url URL or --config FILE after the verb, by\n"
        "HOLDFAST_URL, or is local: the processes of this host.\n");
  return kOk;
}

int enter(std::vector<std::string> args) {
  if (args.empty()) return misused("", "a verb is missing");
  const std::string verb = args.front();
  if (verb == "--help" || verb == "-h" || verb == "help") return help();
  if (verb == "--version" || verb == "-V") {
    print("holdfast " + std::string(version()) +
          "\nengines: " + std::string(engines()) + "\n");
    return kOk;
  }
  set_voice({.json = std::find(args.begin(), args.end(), "--json") != args.end()});
  args.erase(args.begin());
  for (const Entrance& each : kVerbs) {
    if (each.verb == verb) return each.enter(std::move(args));
  }
  return misused("",
                 verb.starts_with('-')
                     ? "options come after a verb: '" + printable(verb) + "' is none"
                     : "there is no verb '" + printable(verb) + "'");
}

// A descriptor that is closed would be the next file's that is opened, and what is
// printed would go there.
void keep_stdio_open() {
  int fd;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

}  // namespace
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

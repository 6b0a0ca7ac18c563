#include "run/guarded.h"
#include "run/run_options.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

constexpr std::uint32_t kMostPermits = 1'000'000'000;

// What kind of lock; without one of them, a mutex.
struct Kinds {
  bool exclusive = false;
  bool read = false;
  bool write = false;
  bool fair = false;

  void add_to(CLI::App& app, std::uint32_t& permits) {
    auto* alone =
        app.add_flag("-x,-e,--exclusive", exclusive, "An exclusive lock: without -s");
    auto* reader = app.add_flag("-s,--shared,--read", read,
                                "A read lock: with other readers, without a writer");
    auto* writer = app.add_flag("--write", write,
                                "A write lock: without readers and other writers");
    auto* several =
        app.add_option("--permits", permits, "A permit: at most N run at once")
            ->type_name("N")
            ->check(CLI::Range(1U, kMostPermits).description(""));
    auto* queued = app.add_flag("--fair", fair, "A fair lock: in order of arrival");
    alone->excludes(reader)->excludes(several);
    reader->excludes(writer)->excludes(several)->excludes(queued);
    writer->excludes(several)->excludes(queued);
    several->excludes(queued);
  }

  void choose(RunOptions& options) const {
    using engine::Kind;
    if (fair) options.kind = Kind::fair_mutex;
    if (read || write) options.kind = Kind::shared_mutex;
    if (read) options.mode = engine::Mode::shared;
    if (options.permits == 0) return;
    options.kind = Kind::semaphore;
    options.held = "permit of";
  }
};

}  // namespace

int run(std::vector<std::string> args) {
  RunOptions options;
  RunLine line(
      "run",
      "[OPTIONS] NAME [--] CMD [ARG...]\n       holdfast run [OPTIONS] NAME -c STRING",
      "Runs CMD while holding the lock NAME.", options);
  Kinds kinds;
  kinds.add_to(line.app(), options.permits);
  if (const auto over = line.parse(std::move(args))) return *over;
  if (options.command.empty()) return misused("run", "the command is missing");
  kinds.choose(options);
  return run_guarded(options);
}

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

#include "run/kinds.h"

namespace holdfast::cli {
namespace {

constexpr std::uint32_t kMostPermits = 1'000'000'000;

}  // namespace

void Kinds::add_to(CLI::App& app, std::uint32_t& permits) {
  auto* alone =
      app.add_flag("-x,-e,--exclusive", exclusive_, "An exclusive lock: without -s");
  auto* reader = app.add_flag("-s,--shared,--read", read_,
                              "A read lock: with other readers, without a writer");
  auto* writer = app.add_flag("--write", write_,
                              "A write lock: without readers and other writers");
  auto* several =
      app.add_option("--permits", permits, "A permit: at most N run at once")
          ->type_name("N")
          ->check(CLI::Range(1U, kMostPermits).description(""));
  auto* queued = app.add_flag("--fair", fair_, "A fair lock: in order of arrival");
  alone->excludes(reader)->excludes(several);
  reader->excludes(writer)->excludes(several)->excludes(queued);
  writer->excludes(several)->excludes(queued);
  several->excludes(queued);
}

void Kinds::choose(RunOptions& options) const {
  using engine::Kind;
  if (fair_) options.kind = Kind::fair_mutex;
  if (read_ || write_) options.kind = Kind::shared_mutex;
  if (read_) options.mode = engine::Mode::shared;
  if (options.permits == 0) return;
  options.kind = Kind::semaphore;
  options.held = "permit of";
}

}  // namespace holdfast::cli

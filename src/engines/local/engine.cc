// SPDX-License-Identifier: Apache-2.0

#include "engines/local/engine.h"

#include <string>
#include <utility>
#include <vector>

#include "engines/local/memory/segment.h"
#include "engines/local/options.h"
#include "engines/local/other_users.h"
#include "engines/local/process_slot.h"
#include "engines/local/session.h"

namespace holdfast::local {
namespace {

class LocalEngine final : public engine::Engine {
 public:
  explicit LocalEngine(Options options) noexcept : options_(std::move(options)) {}

  std::string_view scheme() const noexcept override { return "local"; }

  Result<std::unique_ptr<engine::Session>> open(
      const engine::SessionOptions& options) override {
    auto segment = Segment::open(options_);
    if (!segment) return segment.error();
    auto process = ProcessSlot::join(*segment, options);
    if (!process) return process.error();
    std::vector<std::string> warnings;
    if (options_.unsaid) warnings = warn_of_other_users();
    return std::unique_ptr<engine::Session>(
        std::make_unique<LocalSession>(std::move(*process), std::move(warnings)));
  }

 private:
  const Options options_;
};

}  // namespace

Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri) {
  auto options = read_options(uri);
  if (!options) return std::move(options).error();
  return std::unique_ptr<engine::Engine>(
      std::make_unique<LocalEngine>(*std::move(options)));
}

}  // namespace holdfast::local

const holdfast::base::EngineEntry* holdfast_local_engine_v0() noexcept {
  static constexpr holdfast::base::EngineEntry kEntry{
      .make = holdfast::local::make_engine,
      .option_names = holdfast::local::option_names,
  };
  return &kEntry;
}

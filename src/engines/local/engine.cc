#include "engines/local/engine.h"

#include <string>
#include <utility>
#include <vector>

#include "engines/local/member.h"
#include "engines/local/neighbours.h"
#include "engines/local/options.h"
#include "engines/local/segment.h"
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
    auto member = Member::join(*segment, options);
    if (!member) return member.error();
    std::vector<std::string> warnings;
    if (options_.unsaid) warnings = warn_of_neighbours();
    return std::unique_ptr<engine::Session>(
        std::make_unique<LocalSession>(std::move(*member), std::move(warnings)));
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

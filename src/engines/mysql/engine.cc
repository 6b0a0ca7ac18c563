#include "engines/mysql/engine.h"

#include <utility>

#include "engines/mysql/options.h"
#include "engines/mysql/session.h"

namespace holdfast::mysql {
namespace {

class MysqlEngine final : public engine::Engine {
 public:
  explicit MysqlEngine(Options options) noexcept : options_(std::move(options)) {}

  std::string_view scheme() const noexcept override { return "mysql"; }

  Result<std::unique_ptr<engine::Session>> open(
      const engine::SessionOptions& session) override {
    auto backend = Backend::open(options_, session);
    if (!backend) return std::move(backend).error();
    return std::unique_ptr<engine::Session>(
        std::make_unique<MysqlSession>(*std::move(backend)));
  }

 private:
  const Options options_;
};

}  // namespace

Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri) {
  auto options = read_options(uri);
  if (!options) return std::move(options).error();
  return std::unique_ptr<engine::Engine>(
      std::make_unique<MysqlEngine>(*std::move(options)));
}

}  // namespace holdfast::mysql

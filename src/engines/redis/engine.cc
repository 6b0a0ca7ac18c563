#include "engines/redis/engine.h"

#include <utility>

#include "engines/redis/options.h"
#include "engines/redis/session.h"

namespace holdfast::redis {
namespace {

class RedisEngine final : public engine::Engine {
 public:
  explicit RedisEngine(Options options) noexcept : options_(std::move(options)) {}

  std::string_view scheme() const noexcept override { return "redis"; }

  Result<std::unique_ptr<engine::Session>> open(
      const engine::SessionOptions& session) override {
    auto backend = Backend::open(options_, session);
    if (!backend) return std::move(backend).error();
    return std::unique_ptr<engine::Session>(
        std::make_unique<RedisSession>(*std::move(backend)));
  }

 private:
  const Options options_;
};

}  // namespace

Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri) {
  auto options = read_options(uri);
  if (!options) return std::move(options).error();
  return std::unique_ptr<engine::Engine>(
      std::make_unique<RedisEngine>(*std::move(options)));
}

}  // namespace holdfast::redis

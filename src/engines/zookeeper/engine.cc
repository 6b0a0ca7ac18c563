#include "engines/zookeeper/engine.h"

#include <utility>

#include "engines/zookeeper/options.h"
#include "engines/zookeeper/session.h"

namespace holdfast::zookeeper {
namespace {

class ZookeeperEngine final : public engine::Engine {
 public:
  explicit ZookeeperEngine(Options options) noexcept : options_(std::move(options)) {}

  std::string_view scheme() const noexcept override { return "zookeeper"; }

  Result<std::unique_ptr<engine::Session>> open(
      const engine::SessionOptions& session) override {
    auto backend = Backend::open(options_, session);
    if (!backend) return std::move(backend).error();
    return std::unique_ptr<engine::Session>(
        std::make_unique<ZookeeperSession>(*std::move(backend)));
  }

 private:
  const Options options_;
};

}  // namespace

Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri) {
  auto options = read_options(uri);
  if (!options) return std::move(options).error();
  return std::unique_ptr<engine::Engine>(
      std::make_unique<ZookeeperEngine>(*std::move(options)));
}

}  // namespace holdfast::zookeeper

#include "engines/etcd/engine.h"

#include <utility>

#include "engines/etcd/options.h"
#include "engines/etcd/session.h"

namespace holdfast::etcd {
namespace {

class EtcdEngine final : public engine::Engine {
 public:
  explicit EtcdEngine(Options options) noexcept : options_(std::move(options)) {}

  std::string_view scheme() const noexcept override { return "etcd"; }

  Result<std::unique_ptr<engine::Session>> open(
      const engine::SessionOptions& session) override {
    auto backend = Backend::open(options_, session);
    if (!backend) return std::move(backend).error();
    return std::unique_ptr<engine::Session>(
        std::make_unique<EtcdSession>(*std::move(backend)));
  }

 private:
  const Options options_;
};

}  // namespace

Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri) {
  auto options = read_options(uri);
  if (!options) return std::move(options).error();
  return std::unique_ptr<engine::Engine>(
      std::make_unique<EtcdEngine>(*std::move(options)));
}

}  // namespace holdfast::etcd

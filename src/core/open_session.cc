// SPDX-License-Identifier: Apache-2.0

#include "core/open_session.h"

#include <thread>
#include <utility>

#include "base/backoff.h"
#include "base/engine_options.h"
#include "base/transient.h"

namespace holdfast::core {
namespace {

class RetryingEngine final : public engine::Engine {
 public:
  RetryingEngine(std::unique_ptr<engine::Engine> engine, base::Uri uri)
      : engine_(std::move(engine)), uri_(std::move(uri)) {}

  std::string_view scheme() const noexcept override { return engine_->scheme(); }

  Result<std::unique_ptr<engine::Session>> open(
      const engine::SessionOptions& options) override {
    auto retry = base::read_retry(uri_, {.base = options.retry.base, .times = {}});
    if (!retry) return std::move(retry).error();
    engine::SessionOptions own = options;
    own.retry = *retry;
    return open_session(*engine_, own);
  }

 private:
  const std::unique_ptr<engine::Engine> engine_;
  const base::Uri uri_;
};

}  // namespace

Result<std::unique_ptr<engine::Session>> open_session(
    engine::Engine& engine, const engine::SessionOptions& options) {
  base::Backoff backoff(options.retry);
  for (;;) {
    auto session = engine.open(options);
    if (session || !base::is_transient(session.error())) return session;
    const auto pause = backoff.failed();
    if (!options.retry.times || backoff.is_exhausted()) {
      return backoff.explain(std::move(session).error());
    }
    std::this_thread::sleep_for(pause);
  }
}

std::unique_ptr<engine::Engine> with_retry(std::unique_ptr<engine::Engine> engine,
                                           const base::Uri& uri) {
  return std::make_unique<RetryingEngine>(std::move(engine), uri);
}

}  // namespace holdfast::core

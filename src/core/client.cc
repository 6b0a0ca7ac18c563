// SPDX-License-Identifier: Apache-2.0

#include "holdfast/client.h"

#include <cstdlib>
#include <utility>

#include "base/config_file.h"
#include "base/engine_options.h"
#include "base/log.h"
#include "base/uri.h"
#include "core/client_state.h"
#include "core/engine_table.h"
#include "holdfast/client_options.h"

namespace holdfast::inline v0 {
namespace {

std::string_view url_or_default(std::string_view url) {
  if (!url.empty()) return url;
  // A set-uid program does not read the variable, because the user who starts it would
  // choose where it writes.
  const char* const from_environment = ::secure_getenv("HOLDFAST_URL");
  if (from_environment != nullptr && *from_environment != '\0') return from_environment;
  return "local:";
}

Result<Client> open_at(const base::Uri& uri, ClientOptions options) {
  auto engine = core::make_engine(uri);
  if (!engine) return std::move(engine).error();
  auto retry = base::read_retry(uri, options.retry);
  if (!retry) return std::move(retry).error();
  options.retry = *retry;
  return Client::over(*std::move(engine), options);
}

}  // namespace

Client::Client(std::shared_ptr<core::ClientState> state) noexcept
    : state_(std::move(state)) {}

Result<Client> Client::over(std::unique_ptr<engine::Engine> engine) {
  return over(std::move(engine), ClientOptions());
}
Result<Client> Client::over(std::unique_ptr<engine::Engine> engine,
                            const ClientOptions& options) {
  if (engine == nullptr)
    return Failure(Errc::bad_argument,
                   "Client::over needs an engine, and was given a null pointer");
  auto state = core::ClientState::open(std::move(engine), options);
  if (!state) return std::move(state).error();
  return Client(*std::move(state));
}

Result<Client> Client::open(std::string_view url) { return open(url, ClientOptions()); }
Result<Client> Client::open(std::string_view url, const ClientOptions& options) {
  const auto uri = base::parse_uri(url_or_default(url));
  if (!uri) return uri.error();
  return open_at(*uri, options);
}

Result<Client> Client::from_config(const std::string& path) {
  return from_config(path, ClientOptions());
}
Result<Client> Client::from_config(const std::string& path,
                                   const ClientOptions& options) {
  auto config = base::read_config(path);
  if (!config) return std::move(config).error();
  ClientOptions merged = options;
  if (!config->warning.empty()) {
    (merged.log ? merged.log : base::log_to_stderr)(LogLevel::warning, config->warning);
  }
  if (config->ttl) merged.ttl = *config->ttl;
  if (config->payload) merged.payload = *std::move(config->payload);
  return open_at(config->uri, std::move(merged));
}

void Client::close() noexcept { state_->close(); }

engine::Traits Client::traits(engine::Kind kind) const noexcept {
  return state_->session().traits(kind);
}

engine::Session& Client::session() const noexcept { return state_->session(); }

std::string_view engines() noexcept { return core::available_engines(); }

std::string_view version() noexcept { return HOLDFAST_VERSION; }

}  // namespace holdfast::inline v0

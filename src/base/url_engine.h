// SPDX-License-Identifier: Apache-2.0

// base/url_engine.h - an engine that is described by its URL alone.

#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "holdfast/engine/session.h"

namespace holdfast::base {

// A session of this engine is a `Session` over a `Backend`, which is opened with the
// engine's `Options`.
template <class Options, class Backend, class Session>
class UrlEngine final : public engine::Engine {
 public:
  UrlEngine(std::string_view scheme, Options options) noexcept
      : scheme_(scheme), options_(std::move(options)) {}

  std::string_view scheme() const noexcept override { return scheme_; }

  Result<std::unique_ptr<engine::Session>> open(
      const engine::SessionOptions& session) override {
    auto backend = Backend::open(options_, session);
    if (!backend) return std::move(backend).error();
    return std::unique_ptr<engine::Session>(
        std::make_unique<Session>(*std::move(backend)));
  }

 private:
  const std::string_view scheme_;
  const Options options_;
};

// Makes such an engine, unless its options could not be read.
template <class Backend, class Session, class Options>
Result<std::unique_ptr<engine::Engine>> make_url_engine(std::string_view scheme,
                                                        Result<Options> options) {
  using Made = UrlEngine<Options, Backend, Session>;
  if (!options) return std::move(options).error();
  return std::unique_ptr<engine::Engine>(
      std::make_unique<Made>(scheme, *std::move(options)));
}

}  // namespace holdfast::base

// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/route.h - where connections lead: to one server, or to the
// server that has a certain part at the moment.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engines/redis/options.h"
#include "engines/redis/transport/stream.h"

namespace holdfast::redis {

struct Route {
  using Open = std::function<Result<std::unique_ptr<Stream>>(engine::Deadline until)>;

  Route(Endpoint endpoint);  // NOLINT(google-explicit-constructor): leads to one server
  Route(ServerName who, Open how) : name(std::move(who)), open(std::move(how)) {}

  ServerName name;
  Open open;  // It connects, with the handshake, and is safe for concurrent use.
};

}  // namespace holdfast::redis

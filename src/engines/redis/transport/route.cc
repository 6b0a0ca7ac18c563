// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/route.h"

#include <utility>

#include "engines/redis/transport/handshake.h"

namespace holdfast::redis {

Route::Route(Endpoint endpoint)
    : name(endpoint.name()),
      open([endpoint = std::move(endpoint)](engine::Deadline until) {
        return open_stream(endpoint, until);
      }) {}

}  // namespace holdfast::redis

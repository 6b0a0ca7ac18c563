// SPDX-License-Identifier: Apache-2.0

// shop/servers/redis_server.h - a redis-server in a folder of its own.

#pragma once

#include <string>

#include "servers/launch.h"

namespace holdfast::shop {

// Throws Trouble.
RunningServer start_redis_server(const std::string& dir);

// The same at a port that another one had before.
Child start_redis_server_at(std::uint16_t port, const std::string& dir);

}  // namespace holdfast::shop

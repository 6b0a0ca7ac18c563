// SPDX-License-Identifier: Apache-2.0

// shop/servers/nginx.h - an nginx that shares requests out among the services.

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "servers/launch.h"

namespace holdfast::shop {

// It runs as one process, by a configuration in the folder; the nginx of the host, if
// there is one, is not touched. Throws Trouble when there is no nginx.
class Nginx {
 public:
  Nginx(const std::string& dir, std::span<const std::uint16_t> services);

  std::uint16_t port() const noexcept { return server_.port; }

 private:
  RunningServer server_;
};

}  // namespace holdfast::shop

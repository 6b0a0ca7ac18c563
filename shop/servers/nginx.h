// SPDX-License-Identifier: Apache-2.0

// shop/servers/nginx.h - an nginx that shares requests out among the services.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "servers/child.h"

namespace holdfast::shop {

// It runs as one process, by a configuration in the folder; the nginx of the host, if
// there is one, is not touched. Throws Trouble when there is no nginx.
class Nginx {
 public:
  Nginx(const std::string& dir, std::span<const std::uint16_t> services);

  std::uint16_t port() const noexcept { return port_; }

 private:
  std::uint16_t port_ = 0;
  std::optional<Child> child_;
};

}  // namespace holdfast::shop

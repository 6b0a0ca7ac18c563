// SPDX-License-Identifier: Apache-2.0

// shop/servers/servers.h - the servers that strategies and stores need.
//
//   Servers servers(dir);
//   servers.start(Needs::redis);
//   servers.url("redis");            // redis://127.0.0.1:40123
//
// Each is started when it is first needed, on a free port of loopback, with its files
// in the folder, and ends with the object.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "places.h"
#include "servers/child.h"
#include "servers/ensemble.h"
#include "strategies/catalogue.h"

namespace holdfast::shop {

class Servers {
 public:
  explicit Servers(std::string dir);

  // Does nothing if it runs already. Throws Trouble.
  void start(Needs what);

  // Returns where an engine of Holdfast finds its server.
  // REQUIRES: it was started.
  std::string url(std::string_view engine) const;

  const Places& places() const noexcept { return places_; }

 private:
  std::uint16_t start_redis(const std::string& name);
  std::uint16_t start_mysql();
  std::string folder(const std::string& name) const;

  const std::string dir_;
  Places places_;
  std::vector<std::uint16_t> quorum_;
  std::optional<Ensemble> zookeeper_;
  std::optional<Ensemble> etcd_;
  std::vector<Child> children_;
};

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

#include "places.h"

#include <cstdlib>

namespace holdfast::shop {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::uint16_t port_in(const char* name) {
  return static_cast<std::uint16_t>(std::atoi(variable(name).c_str()));
}

void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

}  // namespace

void Places::to_environment() const {
  set("HOLDFAST_SHOP_SQLITE", sqlite);
  set("HOLDFAST_SHOP_REDIS", std::to_string(redis));
  set("HOLDFAST_SHOP_MYSQL", std::to_string(mysql));
  set("HOLDFAST_SHOP_MYSQL_PASSWORD", mysql_password);
  set("HOLDFAST_SHOP_ZOOKEEPER", std::to_string(zookeeper));
  set("HOLDFAST_URL", lock_url);
  set("HOLDFAST_SHOP_PRESENCE", presence);
}

Places Places::from_environment() {
  return {.sqlite = variable("HOLDFAST_SHOP_SQLITE"),
          .redis = port_in("HOLDFAST_SHOP_REDIS"),
          .mysql = port_in("HOLDFAST_SHOP_MYSQL"),
          .mysql_password = variable("HOLDFAST_SHOP_MYSQL_PASSWORD"),
          .zookeeper = port_in("HOLDFAST_SHOP_ZOOKEEPER"),
          .lock_url = variable("HOLDFAST_URL"),
          .presence = variable("HOLDFAST_SHOP_PRESENCE")};
}

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

#include "stores/till.h"

#include "places.h"
#include "stores/mysql_till.h"
#include "stores/redis_till.h"
#include "stores/sqlite_till.h"

namespace holdfast::shop {

const char* name_of(Store store) noexcept {
  switch (store) {
    case Store::sqlite:
      return "sqlite";
    case Store::mysql:
      return "mysql";
    case Store::redis:
      return "redis";
  }
  return "";
}

std::unique_ptr<Till> open_till(Store store, const Places& places) {
  switch (store) {
    case Store::mysql:
      return std::make_unique<MysqlTill>(places);
    case Store::redis:
      return std::make_unique<RedisTill>(places);
    case Store::sqlite:
      break;
  }
  return std::make_unique<SqliteTill>(places.sqlite);
}

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

#include "stores/stock.h"

#include "places.h"
#include "stores/mysql_stock.h"
#include "stores/redis_stock.h"
#include "stores/sqlite_stock.h"

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

std::unique_ptr<StockConnection> open_stock(Store store, const Places& places) {
  switch (store) {
    case Store::mysql:
      return std::make_unique<MysqlStock>(places);
    case Store::redis:
      return std::make_unique<RedisStock>(places);
    case Store::sqlite:
      break;
  }
  return std::make_unique<SqliteStock>(places.sqlite);
}

}  // namespace holdfast::shop

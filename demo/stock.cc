// SPDX-License-Identifier: Apache-2.0

#include "stock.h"

#include "errors.h"
#include "sqlite_stock.h"
#ifdef HOLDFAST_DEMO_MYSQL
#include "mysql_stock.h"
#endif

namespace holdfast::demo {

std::unique_ptr<StockConnection> open_stock(const std::string& store) {
  if (!store.starts_with("mysql:")) return std::make_unique<SqliteStock>(store);
#ifdef HOLDFAST_DEMO_MYSQL
  return std::make_unique<MysqlStock>(MysqlUrl::of(store));
#else
  throw Trouble(kConfig, "--store needs libmariadb, without which this was built");
#endif
}

}  // namespace holdfast::demo

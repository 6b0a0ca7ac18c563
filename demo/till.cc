// SPDX-License-Identifier: Apache-2.0

#include "till.h"

#include "errors.h"
#include "sqlite_till.h"
#ifdef HOLDFAST_DEMO_MYSQL
#include "mysql_till.h"
#endif

namespace holdfast::demo {

std::unique_ptr<Till> open_till(const std::string& store) {
  if (!store.starts_with("mysql:")) return std::make_unique<SqliteTill>(store);
#ifdef HOLDFAST_DEMO_MYSQL
  return std::make_unique<MysqlTill>(MysqlPlace::of(store));
#else
  throw Trouble(kConfig, "--store needs libmariadb, without which this was built");
#endif
}

}  // namespace holdfast::demo

// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/engine.h"

#include "base/url_engine.h"
#include "engines/mysql/options.h"
#include "engines/mysql/session.h"

namespace holdfast::mysql {

Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri) {
  return base::make_url_engine<Backend, MysqlSession>("mysql", read_options(uri));
}

}  // namespace holdfast::mysql

const holdfast::base::EngineEntry* holdfast_mysql_engine_v0() noexcept {
  static constexpr holdfast::base::EngineEntry kEntry{
      .make = holdfast::mysql::make_engine,
      .option_names = holdfast::mysql::option_names,
      .schema = holdfast::mysql::schema};
  return &kEntry;
}

// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/engine.h"

#include <utility>

#include "base/url_engine.h"
#include "engines/mysql/options.h"
#include "engines/mysql/session.h"

namespace holdfast::mysql {

Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri) {
  using Made = base::UrlEngine<Options, Backend, MysqlSession>;
  auto options = read_options(uri);
  if (!options) return std::move(options).error();
  return std::unique_ptr<engine::Engine>(
      std::make_unique<Made>("mysql", *std::move(options)));
}

}  // namespace holdfast::mysql

const holdfast::base::EngineEntry* holdfast_mysql_engine_v0() noexcept {
  static constexpr holdfast::base::EngineEntry kEntry{
      .make = holdfast::mysql::make_engine,
      .option_names = holdfast::mysql::option_names,
      .schema = holdfast::mysql::schema};
  return &kEntry;
}

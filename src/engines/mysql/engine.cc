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

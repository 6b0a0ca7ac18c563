// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/engine.h"

#include "base/url_engine.h"
#include "engines/redis/options.h"
#include "engines/redis/session.h"

namespace holdfast::redis {

Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri) {
  return base::make_url_engine<Backend, RedisSession>("redis", read_options(uri));
}

}  // namespace holdfast::redis

const holdfast::base::EngineEntry* holdfast_redis_engine_v0() noexcept {
  static constexpr holdfast::base::EngineEntry kEntry{
      .make = holdfast::redis::make_engine,
      .option_names = holdfast::redis::option_names,
  };
  return &kEntry;
}

// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/engine.h"

#include "base/url_engine.h"
#include "engines/zookeeper/options.h"
#include "engines/zookeeper/session.h"

namespace holdfast::zookeeper {

Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri) {
  return base::make_url_engine<Backend, ZookeeperSession>("zookeeper",
                                                          read_options(uri));
}

}  // namespace holdfast::zookeeper

const holdfast::base::EngineEntry* holdfast_zookeeper_engine_v0() noexcept {
  static constexpr holdfast::base::EngineEntry kEntry{
      .make = holdfast::zookeeper::make_engine,
      .option_names = holdfast::zookeeper::option_names,
  };
  return &kEntry;
}

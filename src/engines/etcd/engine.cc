// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/engine.h"

#include "base/url_engine.h"
#include "engines/etcd/options.h"
#include "engines/etcd/session.h"

namespace holdfast::etcd {

Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri) {
  return base::make_url_engine<Backend, EtcdSession>("etcd", read_options(uri));
}

}  // namespace holdfast::etcd

const holdfast::base::EngineEntry* holdfast_etcd_engine_v0() noexcept {
  static constexpr holdfast::base::EngineEntry kEntry{
      .make = holdfast::etcd::make_engine,
      .option_names = holdfast::etcd::option_names,
  };
  return &kEntry;
}

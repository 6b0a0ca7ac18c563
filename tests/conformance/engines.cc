// SPDX-License-Identifier: Apache-2.0

#include "conformance/engine_under_test.h"
#include "conformance/fixtures.h"

namespace holdfast::test {

const std::vector<EngineKind>& engines() {
  static const std::vector<EngineKind> all {
    {"fake", make_fake}, {"fake_ungated", make_fake_ungated}, {"toy", make_toy},
#if HOLDFAST_WITH_LOCAL
        {"local", make_local},
#endif
#if HOLDFAST_WITH_REDIS
        {"redis", make_redis}, {"redis_string", make_redis_string},
        {"redis_cluster", make_redis_cluster}, {"redis_sentinel", make_redis_sentinel},
        {"quorum", make_quorum},
#endif
#if HOLDFAST_WITH_ZOOKEEPER
        {"zookeeper", make_zookeeper},
#endif
#if HOLDFAST_WITH_ETCD
        {"etcd", make_etcd},
#endif
#if HOLDFAST_WITH_MYSQL
        {"mysql", make_mysql}, {"mysql_rows", make_mysql_rows},
#endif
  };
  return all;
}

}  // namespace holdfast::test

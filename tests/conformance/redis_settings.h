// SPDX-License-Identifier: Apache-2.0

// tests/conformance/redis_settings.h - what cases change about a redis-server.

#pragma once

#include <string>

#include "conformance/engine_under_test.h"
#include "support/redis_server.h"

namespace holdfast::test {

// Lets the user ann in with kSecret, beside the default user, who needs no password.
inline void let_ann_in(const RedisServer& server) {
  (void)server.command(
      {"ACL", "SETUSER", "ann", "on", ">" + std::string(kSecret), "~*", "&*", "+@all"});
}

// As long as the object lives, the server may evict keys, of which the engine warns.
class MayEvict {
 public:
  static constexpr const char* kWarning = "evict locks";

  explicit MayEvict(const RedisServer& server) : server_(server) {
    set("allkeys-lru", "1gb");
  }
  ~MayEvict() { set("noeviction", "0"); }
  MayEvict(const MayEvict&) = delete;
  MayEvict& operator=(const MayEvict&) = delete;

 private:
  void set(const std::string& policy, const std::string& memory) const {
    (void)server_.command({"CONFIG", "SET", "maxmemory-policy", policy});
    (void)server_.command({"CONFIG", "SET", "maxmemory", memory});
  }

  const RedisServer& server_;
};

}  // namespace holdfast::test

// tests/faults/redis/lost_calls.h - a call is lost at every point of a scene.
//
// Once before it reached the server, and once after it was carried out. The scene ends
// as if nothing had happened, and leaves nothing behind.

#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "faults/redis/ground.h"
#include "support/fault_proxy.h"
#include "support/redis_server.h"

namespace holdfast::test {

class LostCalls : public testing::Test {
 protected:
  using Scene = std::function<void(const std::string& name)>;  // of its own every time
  using Keys = std::function<std::set<std::string>(const std::string& name)>;

  // `stays`: the keys that the scene under this name may leave.
  void everywhere(const Scene& scene, const Keys& stays = nothing);
  static std::set<std::string> nothing(const std::string&) { return {}; }

  Client open(std::chrono::milliseconds ttl = scaled(std::chrono::seconds(30))) {
    return open_quietly(line_.url(), ttl);
  }
  int calls() const;

  RedisServer server_;
  FaultProxy line_{server_.port()};

 private:
  void once(const Scene& scene, int step, bool reply, const Keys& stays);

  std::set<std::string> needed_;
};

}  // namespace holdfast::test

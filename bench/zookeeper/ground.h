// bench/zookeeper/ground.h - where a server keeps its data.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "holdfast/client.h"
#include "java_peer.h"
#include "zookeeper/server.h"

namespace holdfast::bench::zookeeper {

inline const Rival kCurator = {"curator", "InterProcessMutex"};

struct Ground {
  std::string name;  // "tmpfs", "disk"
  Server server;

  // From now on HOLDFAST_URL is this server, with these options: "?hand_over=yes".
  void enter(std::string_view options = {}) const;
};

// Both of them, each with a server that has been busy for a while.
std::vector<Ground> prepare_grounds();

}  // namespace holdfast::bench::zookeeper

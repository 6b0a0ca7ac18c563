// SPDX-License-Identifier: Apache-2.0

// tests/cli/servers.h - a server for each engine that is built in, and several for
// those that know how to use them.

#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace holdfast::test {

// The server runs as long as a copy of this lives.
struct Served {
  std::string url;
  std::shared_ptr<void> server = {};
  std::function<void()> pause = {};  // SIGSTOP
  std::function<void()> resume = {};
};

struct ServerEngine {
  std::string name;         // of the test, such as "redis_cluster"
  std::string engine;       // as the program calls it, such as "redis"
  Served (*serve)();        // may be shared with other tests, under another path
  Served (*serve_alone)();  // one that may be paused
};
inline void PrintTo(const ServerEngine& engine, std::ostream* out) {
  *out << engine.name;
}

std::vector<ServerEngine> server_engines();

}  // namespace holdfast::test

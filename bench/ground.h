// SPDX-License-Identifier: Apache-2.0

// bench/ground.h - a server of our own, and where it keeps its data.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench {

// This server can tell how many requests it got.
class CountedServer {
 public:
  virtual ~CountedServer() = default;
  virtual std::string url() const = 0;

  // Returns how many requests of any client came since the start. It returns when no
  // more come.
  virtual double requests() const = 0;

  virtual double cpu_seconds() const = 0;  // the processor time since the start
};

struct Ground {
  std::string name;  // "tmpfs" or "disk"
  std::unique_ptr<const CountedServer> server;

  // From now on HOLDFAST_URL is this server, with these options, such as
  // "?hand_over=yes".
  void enter(std::string_view options = {}) const;

  // Locks and unlocks for this time.
  void warm_up(std::chrono::milliseconds time) const;
};

// Returns both grounds, each with a server that has been busy for a while. A Server is
// made with the folder below which its files go.
template <class Server>
std::vector<Ground> prepare_grounds(std::chrono::milliseconds busy) {
  std::vector<Ground> all;
  all.push_back({"tmpfs", std::make_unique<Server>("/dev/shm")});
  all.push_back({"disk", std::make_unique<Server>("/var/tmp")});
  for (const Ground& ground : all) ground.warm_up(busy);
  return all;
}

}  // namespace holdfast::bench

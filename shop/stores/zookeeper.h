// SPDX-License-Identifier: Apache-2.0

// shop/stores/zookeeper.h - a plain session with ZooKeeper, as a home-made lock uses
// it.

#pragma once

#include <zookeeper/zookeeper.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::shop {

// A session is made once for a process, and is safe for concurrent use. Its members
// throw StoreError.
class Zookeeper {
 public:
  static constexpr const char* kRoot = "/distributed";
  static constexpr std::chrono::seconds kSession{30};

  // Waits until it is connected, and makes sure that there is the node `root`. When the
  // process dies, its nodes go after the time of `session`.
  explicit Zookeeper(std::uint16_t port, std::string root = kRoot,
                     std::chrono::milliseconds session = kSession);

  const std::string& root() const noexcept { return root_; }

  // Makes a node that ends with the session. Returns false when there is one already.
  bool create(const std::string& path);

  // The same with a number behind the path; returns the whole path.
  std::string create_next(const std::string& path);

  void remove(const std::string& path);  // Nothing happens if there is none.
  std::vector<std::string> children();   // of the root, without its path

  // Returns when there is no such node, or when it has changed.
  void await_change(const std::string& path);

 private:
  struct CloseZookeeper {
    void operator()(zhandle_t* handle) const noexcept { zookeeper_close(handle); }
  };

  const std::string root_;
  std::unique_ptr<zhandle_t, CloseZookeeper> handle_;
};

}  // namespace holdfast::shop

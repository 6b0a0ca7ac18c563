// SPDX-License-Identifier: Apache-2.0

// shop/strategies/zookeeper_sequence.h - stage 2: each takes a number, the smallest is
// in.
//
// There is an order now, and a waiter writes once.
//
// What is wrong: it asks every 20 ms for the list of all that wait, to see whether it
// is the first. That is slower than stage 1.

#pragma once

#include <thread>

#include "stores/zookeeper.h"
#include "strategies/under_lock.h"

namespace holdfast::shop {

// Returns the node before this one in the queue; empty: this one is the first. The
// names of all nodes end with ten digits.
inline std::string predecessor_of(Zookeeper& zookeeper, const std::string& path) {
  const std::string own = path.substr(path.rfind('/') + 1);
  std::string before;
  for (const std::string& node : zookeeper.children()) {
    if (node < own && node > before) before = node;
  }
  return before;
}

class ZookeeperSequence {
 public:
  explicit ZookeeperSequence(Zookeeper& zookeeper) : zookeeper_(zookeeper) {}

  void lock() {
    path_ = zookeeper_.create_next(zookeeper_.root() + "/lock-");
    while (!predecessor_of(zookeeper_, path_).empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  void unlock() { zookeeper_.remove(path_); }

 private:
  Zookeeper& zookeeper_;
  std::string path_;
};

}  // namespace holdfast::shop

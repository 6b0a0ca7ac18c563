// SPDX-License-Identifier: Apache-2.0

// shop/strategies/zookeeper_create.h - stage 1: a node that only one can create.
//
// The node ends with the session of its creator, so a service that dies leaves nothing.
//
// What is wrong: waiters sleep for 200 ms between two tries, and the lock is free for
// most of that time. Each try is a write, which ZooKeeper puts to a vote. There is no
// order.

#pragma once

#include <thread>

#include "stores/zookeeper.h"
#include "strategies/under_lock.h"

namespace holdfast::shop {

class ZookeeperCreate {
 public:
  explicit ZookeeperCreate(Zookeeper& zookeeper) : zookeeper_(zookeeper) {}

  void lock() {
    while (!zookeeper_.create(path_)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }

  void unlock() { zookeeper_.remove(path_); }

 private:
  Zookeeper& zookeeper_;
  const std::string path_ = zookeeper_.root() + "/lock";
};

}  // namespace holdfast::shop

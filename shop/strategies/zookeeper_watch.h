// SPDX-License-Identifier: Apache-2.0

// shop/strategies/zookeeper_watch.h - stage 3: each watches the node before its own.
//
// No waiter polls, and a node that goes wakes up one waiter.
//
// What is wrong: a waiter takes the end of its predecessor for its turn. When the
// service of that predecessor dies while it is waiting itself, the waiter behind it
// comes in beside the holder. It must look at the list again, as Holdfast does.

#pragma once

#include "stores/zookeeper.h"
#include "strategies/zookeeper_sequence.h"

namespace holdfast::shop {

class ZookeeperWatch {
 public:
  explicit ZookeeperWatch(Zookeeper& zookeeper) : zookeeper_(zookeeper) {}

  void lock() {
    path_ = zookeeper_.create_next(zookeeper_.root() + "/lock-");
    const std::string before = predecessor_of(zookeeper_, path_);
    if (before.empty()) return;
    zookeeper_.await_change(zookeeper_.root() + "/" + before);
  }

  void unlock() { zookeeper_.remove(path_); }

 private:
  Zookeeper& zookeeper_;
  std::string path_;
};

}  // namespace holdfast::shop

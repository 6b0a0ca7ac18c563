// SPDX-License-Identifier: Apache-2.0

// tests/interop/etcd/etcdctl.h - the program of etcd itself, as a peer.
//
//   Process holder = etcdctl({"lock", "--ttl", "2", name});
//   EXPECT_TRUE(holder.read_line());                 // prints its key when it has the
//   lock holder.signal(SIGTERM);                          // gives the lock back and
//   ends

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "interop/etcd/etcd_interop.h"
#include "support/process.h"

namespace holdfast::test {

inline Process etcdctl(std::vector<std::string> words) {
  words.insert(words.begin(), {"etcdctl", "--endpoints", etcd().address()});
  return Process(std::move(words), {"ETCDCTL_API=3"});
}

}  // namespace holdfast::test

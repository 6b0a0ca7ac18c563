// SPDX-License-Identifier: Apache-2.0

// tests/cli/etcd_cli.h - the program on an etcd server of its own, below /app.

#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/program.h"
#include "support/etcd_server.h"
#include "support/etcd_shell.h"

namespace holdfast::test {

class EtcdCli : public testing::Test {
 protected:
  EtcdCli() { holdfast_.set("HOLDFAST_URL=" + server_.url("/app")); }

  // Runs etcdctl, etcd's own program.
  Process etcdctl(std::vector<std::string> words) const {
    words.insert(words.begin(), {"etcdctl", "--endpoints", server_.address()});
    return Process(std::move(words), {"ETCDCTL_API=3"});
  }

  std::string value(std::string_view key) {
    const auto found = shell_.get(key);
    return found ? found->value : "there is none";
  }

  EtcdServer server_;
  EtcdShell shell_{server_.port()};
  Program holdfast_;
};

}  // namespace holdfast::test

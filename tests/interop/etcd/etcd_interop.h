// SPDX-License-Identifier: Apache-2.0

// tests/interop/etcd/etcd_interop.h - the fixture of tests about etcd alone.

#pragma once

#include "interop/interop.h"
#include "support/etcd_server.h"

namespace holdfast::test {

EtcdServer& etcd();  // the server of all tests

class EtcdInterop : public Interop {
 protected:
  const std::string lock = name("lock");

  // Returns the keys of that name, oldest first.
  static std::vector<std::string> keys(const std::string& name);

  // Waits until there is this number of keys.
  static testing::AssertionResult keys_are(const std::string& name, std::size_t number);

  // Returns what Go says about a key: "value" and "lease" in hexadecimal, "created".
  static std::string ask_about(const std::string& key, std::string_view what);
};

}  // namespace holdfast::test

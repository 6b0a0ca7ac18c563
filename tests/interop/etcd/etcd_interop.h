// tests/interop/etcd/etcd_interop.h - the ground of what is about etcd alone.

#pragma once

#include "interop/interop.h"
#include "support/etcd_server.h"

namespace holdfast::test {

EtcdServer& etcd();  // of all tests

class EtcdInterop : public Interop {
 protected:
  const std::string lock = name("lock");

  // The keys of that name, oldest first.
  static std::vector<std::string> keys(const std::string& name);

  // Waits until there are so many.
  static testing::AssertionResult keys_are(const std::string& name, std::size_t number);

  // What Go says about a key: "value" and "lease" in hexadecimal, "created".
  static std::string ask_about(const std::string& key, std::string_view what);

  // Fails the test when Go does not get it soon.
  static void take_in_go(std::string_view thread, std::string_view kind,
                         const std::string& name);
  static void give_back_in_go(std::string_view thread, std::string_view kind,
                              const std::string& name);
};

}  // namespace holdfast::test

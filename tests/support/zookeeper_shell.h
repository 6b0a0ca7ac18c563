// SPDX-License-Identifier: Apache-2.0

// tests/support/zookeeper_shell.h - reads and changes nodes behind a client's back.
//
//   ZookeeperShell shell(server.port());
//   shell.create("/a");
//   EXPECT_THAT(shell.children("/"), Contains("a"));
//   shell.expire(shell.stat("/a/_c_...").ephemeralOwner);   // another client's session
//
// Paths are absolute: there is no chroot.

#pragma once

#include <zookeeper/zookeeper.h>

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::test {

// The object is a session of 10 s, which lives as long as the object. Every call waits
// for its answer, and throws std::runtime_error, with one sentence, when that is an
// error. The class is not safe for concurrent use.
class ZookeeperShell {
 public:
  explicit ZookeeperShell(std::uint16_t port);
  ZookeeperShell(const ZookeeperShell&) = delete;
  ZookeeperShell& operator=(const ZookeeperShell&) = delete;
  ~ZookeeperShell();

  // Gives every later call this user's rights.
  void sign_on(const std::string& user, const std::string& password);

  // Returns the path, with the number that the server may have added. `mode` is
  // ZOO_PERSISTENT, ZOO_EPHEMERAL_SEQUENTIAL, ZOO_CONTAINER, ...
  std::string create(const std::string& path, const std::string& data = {},
                     int mode = ZOO_PERSISTENT);
  std::string get(const std::string& path);
  Stat stat(const std::string& path);
  bool exists(const std::string& path);
  void set(const std::string& path, const std::string& data);
  std::vector<std::string> children(const std::string& path);  // sorted by name
  void remove(const std::string& path);

  // Returns lines such as "world:anyone 31".
  std::string rights(const std::string& path);

  std::int64_t session() const;

  // Ends any session on the server, as if its client had closed it.
  void expire(std::int64_t session) const;

 private:
  const std::uint16_t port_;
  zhandle_t* const handle_;
};

}  // namespace holdfast::test

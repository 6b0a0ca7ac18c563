// SPDX-License-Identifier: Apache-2.0

// The server has no room left.

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <regex>

#include "faults/mysql/ground.h"
#include "holdfast/schema.h"
#include "support/eventually.h"
#include "support/small_disk.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// The tables are on a disk of their own.
class MysqlRoom : public OnMysql {
 protected:
  void SetUp() override {
    if (!disk_) GTEST_SKIP() << "cannot mount: " << std::strerror(errno);
    const std::string tables = std::regex_replace(
        std::string(holdfast::schema("mysql").value()), std::regex("ENGINE=InnoDB"),
        "ENGINE=InnoDB DATA DIRECTORY='" + disk_.file("data") + "'");
    shell_.run("CREATE DATABASE small; USE small; " + tables +
               "GRANT SELECT, INSERT, UPDATE, DELETE ON small.* TO holdfast");
  }

  Client open(Ms ttl = scaled(30s)) const {
    return open_quietly(server_.url("/small"), ttl);
  }

  // Acquires one new name after another.
  static Failure fill(const Client& client) {
    for (int i = 0; i < 10'000; ++i) {
      Mutex mutex(client, std::string(500, 'x') + std::to_string(i));
      const auto hold = mutex.acquire({.wait = Timeout::zero()});
      if (!hold) return hold.error();
    }
    throw std::logic_error("there is room");
  }

  const SmallDisk disk_{"1m"};
};

TEST_F(MysqlRoom, IsAskedForInOneSentence) {
  const Client client = open();
  const Failure failure = fill(client);
  EXPECT_EQ(failure.code, Errc::full) << failure.message();
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  ASSERT_EQ(mount("tmpfs", disk_.file("").c_str(), "tmpfs", MS_REMOUNT, "size=8m"), 0);
  EXPECT_TRUE(Mutex(client, "b").try_lock_for(patience()));
}

TEST_F(MysqlRoom, IsNotNeededByNamesThatAreThere) {
  const Client client = open(short_);
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  (void)fill(client);
  EXPECT_TRUE(throughout(2 * short_, [&] { return hold.valid(); }));
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(mutex.try_lock());
}

}  // namespace
}  // namespace holdfast::test

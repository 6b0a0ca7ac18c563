// SPDX-License-Identifier: Apache-2.0

// Java finds a name at the path that we use.

#include "holdfast/mutex.h"
#include "interop/zookeeper/zookeeper_interop.h"

namespace holdfast::test {
namespace {

class Names : public ZookeeperInterop {
 protected:
  // Expects that our `name` at this URL and Java's path mean the same lock.
  static void expect_the_same(const std::string& rest, const std::string& ours,
                              const std::string& java) {
    const Client client = open_ours("InterProcessMutex", url() + rest, kLongLease);
    Mutex mutex(client, ours);
    peer_takes("t", "InterProcessMutex", java);
    EXPECT_FALSE(mutex.try_lock());
    peer().ask("t", "unlock", "InterProcessMutex", java);
    ASSERT_TRUE(mutex.try_lock_for(patience()));
    EXPECT_EQ(peer().ask("t", "lock", "InterProcessMutex", java, 100, -1).said,
              "timeout");
    mutex.unlock();
  }
};

TEST_F(Names, AreNodesBelowTheRoot) { expect_the_same("", lock, "/" + lock); }

TEST_F(Names, AreNodesBelowTheChroot) {
  expect_the_same("/some/app", lock, "/some/app/" + lock);
}

TEST_F(Names, ASlashIsSpeltOut) {
  expect_the_same("", lock + "/a b", "/" + lock + "%2Fa b");
}

TEST_F(Names, APercentSignIsSpeltOut) {
  expect_the_same("", lock + "%2F", "/" + lock + "%252F");
}

TEST_F(Names, MayBeInAnyLanguage) {
  expect_the_same("", lock + "ключ-鍵", "/" + lock + "ключ-鍵");
}

TEST_F(Names, RawOnesArePaths) {
  expect_the_same("?names=raw", "/deep/" + lock, "/deep/" + lock);
  expect_the_same("?names=raw", "deep/" + lock, "/deep/" + lock);
  expect_the_same("/app?names=raw", "/deep/" + lock, "/app/deep/" + lock);
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Go finds a name at the key that we use.

#include "holdfast/mutex.h"
#include "interop/etcd/etcd_interop.h"

namespace holdfast::test {
namespace {

class Names : public EtcdInterop {
 protected:
  // Expects that our `name` at this URL and Go's prefix mean the same lock.
  static void expect_the_same(const std::string& rest, const std::string& ours,
                              const std::string& go) {
    const Client client = open_ours("Mutex", url() + rest, kLongLease);
    Mutex mutex(client, ours);
    peer_takes("t", "Mutex", go);
    EXPECT_FALSE(mutex.try_lock());
    peer_gives_back("t", "Mutex", go);
    ASSERT_TRUE(mutex.try_lock_for(patience()));
    EXPECT_EQ(peer().ask("t", "lock", "Mutex", go, 0, -1).said, "timeout");
    mutex.unlock();
  }
};

TEST_F(Names, AreWhatKeysBeginWith) { expect_the_same("", lock, lock); }

TEST_F(Names, AreBelowThePathOfTheUrl) {
  expect_the_same("/some/app", lock, "/some/app/" + lock);
}

TEST_F(Names, ASlashIsSpeltOut) { expect_the_same("", lock + "/a b", lock + "%2Fa b"); }

TEST_F(Names, APercentSignIsSpeltOut) {
  expect_the_same("", lock + "%2F", lock + "%252F");
}

TEST_F(Names, MayBeInAnyLanguage) {
  expect_the_same("", lock + "ключ-鍵", lock + "ключ-鍵");
}

TEST_F(Names, RawOnesAreKeys) {
  expect_the_same("?names=raw", "/deep/" + lock, "/deep/" + lock);
  expect_the_same("?names=raw", "deep/" + lock, "deep/" + lock);
  expect_the_same("?names=raw", lock + "/", lock + "/");
}

}  // namespace
}  // namespace holdfast::test

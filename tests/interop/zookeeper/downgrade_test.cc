// SPDX-License-Identifier: Apache-2.0

// A writer becomes a reader. Waiting readers get in, waiting writers do not.

#include <algorithm>
#include <future>

#include "holdfast/shared_mutex.h"
#include "interop/zookeeper/zookeeper_interop.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;

const milliseconds kAWhile = scaled(milliseconds(300));

class Downgrade : public ZookeeperInterop {
 protected:
  const Client client = open("WriteLock");
  const Client another = open("WriteLock");
  SharedMutex mutex{client, lock};
  SharedMutex mutex_of_another{another, lock};
};

TEST_F(Downgrade, OfOursLetsJavasReaderInAndKeepsItsWriterOut) {
  auto hold = mutex.acquire().value();
  peer().tell("reader", "lock", "ReadLock", lock, -1, -1);
  ASSERT_TRUE(children_are(path, 2));
  peer().tell("writer", "lock", "WriteLock", lock, -1, -1);
  ASSERT_TRUE(children_are(path, 3));

  hold.downgrade().value();
  EXPECT_EQ(peer().answer("reader").said, "ok");
  EXPECT_EQ(peer().ask("reader", "unlock", "ReadLock", lock).said, "ok");
  EXPECT_EQ(peer().answer("writer", kAWhile).said, "");
  EXPECT_TRUE(hold.valid());
  hold.release().value();
  EXPECT_EQ(peer().answer("writer").said, "ok");
  peer().ask("writer", "unlock", "WriteLock", lock);
}

TEST_F(Downgrade, OfOursKeepsAWriterOutThatCameFirst) {
  auto hold = mutex.acquire().value();
  peer().tell("writer", "lock", "WriteLock", lock, -1, -1);
  ASSERT_TRUE(children_are(path, 2));
  hold.downgrade().value();
  EXPECT_EQ(peer().answer("writer", kAWhile).said, "");
  hold.release().value();
  EXPECT_EQ(peer().answer("writer").said, "ok");
  peer().ask("writer", "unlock", "WriteLock", lock);
}

TEST_F(Downgrade, OfJavaLetsOurReaderIn) {
  peer_takes("t", "WriteLock", lock);
  auto reader = std::async(std::launch::async,
                           [&] { return mutex.acquire_shared({.wait = patience()}); });
  ASSERT_TRUE(children_are(path, 2));
  peer_takes("t", "ReadLock", lock);
  EXPECT_EQ(peer().ask("t", "unlock", "WriteLock", lock).said, "ok");
  const auto granted = reader.get();
  EXPECT_TRUE(granted) << granted.error().message();
  peer().ask("t", "unlock", "ReadLock", lock);
}

// Curator before 5.5 puts its reader behind the waiting writer, which then gets in.
TEST_F(Downgrade, OfJavaKeepsOurWriterOut) {
  peer_takes("t", "WriteLock", lock);
  auto writer = std::async(std::launch::async, [&] {
    return mutex_of_another.acquire({.wait = patience()});
  });
  ASSERT_TRUE(children_are(path, 2));
  peer_takes("t", "ReadLock", lock);
  const auto nodes = children(path);
  const bool keeps_its_place =
      std::ranges::count_if(nodes, [](const std::string& node) {
        return node.ends_with("0000000000");
      }) == 2;
  EXPECT_EQ(peer().ask("t", "unlock", "WriteLock", lock).said, "ok");
  if (keeps_its_place) {
    EXPECT_EQ(writer.wait_for(kAWhile), std::future_status::timeout);
    peer().ask("t", "unlock", "ReadLock", lock);
  }
  EXPECT_TRUE(writer.get());
}

}  // namespace
}  // namespace holdfast::test

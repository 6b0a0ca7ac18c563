// SPDX-License-Identifier: Apache-2.0

// A descriptor keeps claims alive after the process that made them has ended.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <optional>

#include "conformance/conformance.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class LivenessFd : public Conformance {};
HOLDFAST_CONFORMANCE(LivenessFd);

TEST_P(LivenessFd, AChildKeepsTheClaimsOfADeadProcess) {
  Victim holder(engine().url());
  ASSERT_EQ(holder.ask("lock " + name("a")), "ok");
  const std::string child = holder.ask("spawn");
  ASSERT_TRUE(child.starts_with("ok ")) << child;
  holder.kill();

  Mutex mutex(open(), name("a"));
  const auto refused = mutex.acquire({.wait = scaled(500ms)});
  EXPECT_FALSE(refused) << "the child still lives";
  kill(std::stoi(child.substr(3)), SIGKILL);
  const auto hold = mutex.acquire({.wait = engine().death_told_within()});
  EXPECT_TRUE(hold) << hold.error().message();
}

TEST_P(LivenessFd, AChildDoesNotKeepWhatWasReleased) {
  Victim holder(engine().url());
  ASSERT_EQ(holder.ask("lock " + name("a")), "ok");
  const std::string child = holder.ask("spawn");
  ASSERT_TRUE(child.starts_with("ok ")) << child;
  EXPECT_EQ(holder.ask("unlock"), "ok");
  EXPECT_TRUE(Mutex(open(), name("a")).try_lock());
  kill(std::stoi(child.substr(3)), SIGKILL);
}

// It is one descriptor, and it is closed with the session. A copy stays open.
TEST_P(LivenessFd, BelongsToTheSession) {
  std::optional<Client> client = open();
  const int fd = client->session().liveness_fd();
  ASSERT_GE(fd, 0);
  EXPECT_EQ(client->session().liveness_fd(), fd);
  EXPECT_NE(open().session().liveness_fd(), fd) << "another session has its own";
  const auto is_open = [](int each) { return fcntl(each, F_GETFD) != -1; };
  const int copy = dup(fd);
  ASSERT_GE(copy, 0);
  {
    const auto hold = Mutex(*client, name("a")).acquire().value();
    EXPECT_TRUE(is_open(fd)) << "nothing else closes it";
  }
  client.reset();
  EXPECT_FALSE(is_open(fd));
  EXPECT_TRUE(is_open(copy));
  close(copy);
}

}  // namespace
}  // namespace holdfast::test

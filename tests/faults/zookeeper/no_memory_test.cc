// SPDX-License-Identifier: Apache-2.0

// When an allocation fails, whichever of an attempt it is, a drop leaves no node
// behind.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <future>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/engine/session.h"
#include "support/scale.h"
#include "support/zookeeper_shared.h"
#include "support/zookeeper_shell.h"

namespace {

// This is how many more allocations of this thread succeed; a negative number means
// all.
thread_local long g_left = -1;

}  // namespace

void* operator new(std::size_t bytes) {
  if (g_left == 0) {
    g_left = -1;
    throw std::bad_alloc();
  }
  if (g_left > 0) --g_left;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace holdfast::test {
namespace {

using engine::Claim;
using engine::Kind;

class ZookeeperNoMemory : public testing::Test {
 protected:
  static engine::Deadline soon() { return Clock::now() + patience(); }

  std::string path(const std::string& name) const { return root_ + "/" + name; }
  std::size_t count_nodes(const std::string& directory) {
    try {
      return shell_.children(directory).size();
    } catch (const std::runtime_error&) {
      return 0;  // there is no such directory
    }
  }

  // Returns whether an allocation has failed. The attempt is made in a new thread.
  static bool attempt_with(int allocations, engine::Resource& resource,
                           const Claim& claim) {
    return std::async(std::launch::async,
                      [&] {
                        g_left = allocations;
                        try {
                          (void)resource.attempt(claim, nullptr, soon());
                        } catch (const std::bad_alloc&) {
                        }
                        const bool failed = g_left < 0;
                        g_left = -1;
                        return failed;
                      })
        .get();
  }

  void expect_no_node(Kind kind, Claim claim,
                      const std::vector<std::string_view>& directories) {
    const auto name = std::to_string(static_cast<int>(kind));
    const auto resource = client_.session().bind({kind, name}).value();
    // The first one makes the directories.
    for (int i = -1, failed = 1; failed != 0; ++i) {
      SCOPED_TRACE("allocation " + std::to_string(i) + " of " + name);
      claim.ticket = engine::Ticket{std::uint64_t{1'000'000} + ++attempts_};
      failed = attempt_with(i, *resource, claim) ? 1 : 0;
      const auto dropped = resource->drop(claim, soon());
      EXPECT_TRUE(dropped || dropped.error().code == Errc::not_held)
          << dropped.error().message();
      for (const std::string_view each : directories) {
        ASSERT_EQ(count_nodes(path(name).append(each)), 0u) << each;
      }
      ASSERT_LT(i, 1000);
    }
  }

  const std::string root_ = "/no-memory-" + std::to_string(getpid());
  ZookeeperShell shell_{shared_zookeeper()};
  const Client client_ =
      Client::open("zookeeper://127.0.0.1:" + std::to_string(shared_zookeeper()) +
                   root_)
          .value();

 private:
  std::uint64_t attempts_ = 0;
};

TEST_F(ZookeeperNoMemory, OfAMutex) { expect_no_node(Kind::mutex, {}, {""}); }

TEST_F(ZookeeperNoMemory, OfASemaphore) {
  expect_no_node(Kind::semaphore, {.permits = 2, .capacity = 2}, {"/locks", "/leases"});
}

TEST_F(ZookeeperNoMemory, OfAParty) {
  expect_no_node(Kind::double_barrier, {.capacity = 2}, {""});
}

}  // namespace
}  // namespace holdfast::test

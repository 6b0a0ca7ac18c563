// SPDX-License-Identifier: Apache-2.0

// When an allocation fails, whichever of a call it is, no claim is left that its caller
// does not know of.

#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <new>
#include <string>

#include "holdfast/client.h"
#include "holdfast/engine/session.h"
#include "holdfast/mutex.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"
#include "support/temp_dir.h"

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

using namespace std::chrono_literals;

constexpr int kAllocations = 16;  // No call makes as many.

class NoMemory : public testing::Test {
 protected:
  // The calls are made in a new thread, and its first ones allocate what it keeps.
  template <class M>
  void acquire_with(int allocations, const std::string& name, M& mutex) {
    std::async(std::launch::async, [&] {
      g_left = allocations;
      const auto hold = mutex.acquire({.wait = patience()});
      g_left = -1;
      EXPECT_TRUE(hold || hold.error().code == Errc::full) << name;
    }).get();
  }

  TempDir dir_;
  const std::string url_ = "local://" + dir_.file("segment");
  const Client one_ = Client::open(url_).value();
  const Client two_ = Client::open(url_).value();
};

TEST_F(NoMemory, ForASharedClaim) {
  for (int i = 0; i < kAllocations; ++i) {
    const std::string name = std::to_string(i);
    SharedMutex mutex(one_, name);
    ASSERT_FALSE(mutex.name().empty());
    acquire_with(i, name, mutex);
    SharedMutex other(two_, name);
    EXPECT_TRUE(other.try_lock_for(patience())) << "allocation " << i << " failed";
  }
}

TEST_F(NoMemory, ForAClaimThatWaits) {
  for (int i = 0; i < kAllocations; ++i) {
    const std::string name = std::to_string(i);
    Mutex held(two_, name);
    held.lock();
    Mutex mutex(one_, name);
    auto freed = std::async(std::launch::async, [&] {
      const auto m = two_.session().bind({engine::Kind::mutex, name}).value();
      (void)eventually(
          [&] {
            const auto seen = m->survey(10, Clock::now() + patience());
            return seen && seen->size() == 2;
          },
          20ms);
      held.unlock();
    });
    acquire_with(i, name, mutex);
    freed.get();
    Mutex other(two_, name);
    EXPECT_TRUE(other.try_lock_for(patience())) << "allocation " << i << " failed";
  }
}

}  // namespace
}  // namespace holdfast::test

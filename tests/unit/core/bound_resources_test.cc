// SPDX-License-Identifier: Apache-2.0

#include "core/bound_resources.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/access.h"
#include "core/client_state.h"
#include "world.h"

namespace holdfast::core {
namespace {

using engine::Kind;

class BoundResourcesTest : public testing::Test {
 protected:
  BoundResourcePtr make(const std::string& name, Kind kind = Kind::mutex) {
    const engine::Address address{kind, name};
    return BoundResource::make(address,
                               {.client = *Access::state(client),
                                .leased = false,
                                .bounded = false,
                                .session_bound = false,
                                .fifo_requests = false,
                                .posts = false,
                                .resource = client.session().bind(address).value(),
                                .process_queue = false});
  }
  const Client client = test::join(test::make_world(test::Sort::plain));
  BoundResources table;
};

TEST_F(BoundResourcesTest, FindsByKindAndName) {
  const auto mutex = make("a");
  const auto semaphore = make("a", Kind::semaphore);
  table.insert(*mutex);
  EXPECT_EQ(table.find(Kind::mutex, "a"), &*mutex);
  EXPECT_EQ(table.find(Kind::semaphore, "a"), nullptr);
  EXPECT_EQ(table.find(Kind::mutex, "b"), nullptr);
  table.insert(*semaphore);
  EXPECT_EQ(table.find(Kind::semaphore, "a"), &*semaphore);
  table.erase(*mutex);
  table.erase(*mutex);
  EXPECT_EQ(table.find(Kind::mutex, "a"), nullptr);
  EXPECT_EQ(table.find(Kind::semaphore, "a"), &*semaphore);
}

TEST_F(BoundResourcesTest, KeepsManyApart) {
  std::vector<BoundResourcePtr> bounds;
  for (int i = 0; i < 1000; ++i) {
    bounds.push_back(make(std::to_string(i)));
    table.insert(*bounds.back());
  }
  for (int i = 0; i < 1000; i += 2) table.erase(*bounds[static_cast<std::size_t>(i)]);
  for (int i = 0; i < 1000; ++i) {
    const auto* const found = table.find(Kind::mutex, std::to_string(i));
    EXPECT_EQ(found, i % 2 == 0 ? nullptr : &*bounds[static_cast<std::size_t>(i)]);
  }
}

TEST_F(BoundResourcesTest, AReferenceKeepsItAlive) {
  auto bound = make(std::string(512, 'x'));
  EXPECT_EQ(bound->name(), std::string(512, 'x'));
  const auto second = BoundResourcePtr::revive(*bound);
  EXPECT_EQ(second, bound);
  bound = BoundResourcePtr();
  EXPECT_EQ(second->name().size(), 512u);
}

}  // namespace
}  // namespace holdfast::core

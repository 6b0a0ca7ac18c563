// How many requests an operation costs.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "faults/zookeeper/ground.h"
#include "holdfast/counter.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Counts : public OnZookeeper {
 protected:
  using Words = std::map<std::string, int>;

  // What `scene` asks for, once everything has been used before.
  template <class Scene>
  Words of(Scene scene) {
    scene();  // makes what is missing,
    scene();  // and reads what is there
    const Words before = line_.passed();
    scene();
    Words after = line_.passed();
    Words result;
    for (const auto& [word, number] : after) {
      const auto known = before.find(word);
      const int more = number - (known == before.end() ? 0 : known->second);
      if (more != 0 && word != "ping") result[word] = more;
    }
    return result;
  }

  static std::string spelt(const Words& words) {
    std::string result;
    for (const auto& [word, number] : words) {
      result += (result.empty() ? "" : " ") + word + ":" + std::to_string(number);
    }
    return result;
  }
};

TEST_F(Counts, AFreeLock) {
  const Client client = open();
  shell_.create(root_);
  shell_.create(path("a"));
  Mutex mutex(client, "a");
  EXPECT_EQ(spelt(of([&] { EXPECT_TRUE(mutex.acquire().value().release()); })),
            "children2:1 create2:1 delete:1");
}

TEST_F(Counts, AHandOver) {
  shell_.create(root_);
  shell_.create(path("a"));
  Mutex holder(open_directly(), "a");
  Mutex waiter(open(), "a");
  const auto scene = [&] {
    holder.lock();
    auto entered = wait_for(waiter);
    ASSERT_TRUE(has_nodes("a", 2));
    EXPECT_TRUE(still_waits(entered));
    holder.unlock();
    EXPECT_TRUE(entered.get().token);
    EXPECT_TRUE(has_nodes("a", 0));
  };
  const Words words = of(scene);
  int sum = 0;
  for (const auto& [word, number] : words) sum += number;
  EXPECT_LE(sum, 5) << spelt(words);  // create, list, watch, perhaps look, delete
}

TEST_F(Counts, AnAdd) {
  const Client client = open();
  Counter counter(client, "n");
  const Words words = of([&] { EXPECT_TRUE(counter.add(1)); });
  EXPECT_EQ(words.size(), 1u) << spelt(words);
  EXPECT_EQ(words.begin()->second, 1) << spelt(words);
}

TEST_F(Counts, AWaiterDoesNotPoll) {
  Mutex holder(open_directly(), "a");
  Mutex waiter(open(), "a");
  holder.lock();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_nodes("a", 2));
  EXPECT_TRUE(still_waits(entered));
  const Words before = line_.passed();
  EXPECT_TRUE(throughout(scaled(1s), [] { return true; }));
  int more = 0;
  for (const auto& [word, number] : line_.passed()) {
    const auto known = before.find(word);
    if (word != "ping") more += number - (known == before.end() ? 0 : known->second);
  }
  EXPECT_LE(more, 1) << spelt(line_.passed());
  holder.unlock();
  EXPECT_TRUE(entered.get().token);
}

}  // namespace
}  // namespace holdfast::test

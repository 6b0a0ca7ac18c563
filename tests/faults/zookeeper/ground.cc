// SPDX-License-Identifier: Apache-2.0

#include "faults/zookeeper/ground.h"

#include <unistd.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <utility>

#include "support/eventually.h"
#include "support/zookeeper_shared.h"

namespace holdfast::test {

ZookeeperGround::ZookeeperGround(std::uint16_t port)
    : port_(port),
      root_("/faults-" + std::to_string(getpid()) + "-" +
            std::to_string(std::random_device()())),
      shell_(port),
      line_(port, Protocol::zookeeper) {}

ZookeeperGround::ZookeeperGround() : ZookeeperGround(shared_zookeeper()) {}

LostCalls ZookeeperGround::lost_calls() {
  const auto calls = [this] {
    int sum = 0;
    for (const auto& [word, number] : line_.passed()) {
      if (word != "ping" && word != "sign_on" && word != "watches") sum += number;
    }
    return sum;
  };
  const auto compare = [this](const std::string& name, const Hold& hold) {
    const auto created = shell_.stat(only_node(name)).czxid;
    EXPECT_EQ(static_cast<std::uint64_t>(created), hold.token().value);
  };
  // A library that is cut off waits for a sixtieth of this.
  const auto ttl = scaled(std::chrono::seconds(6));
  return {bad_line_, calls, compare, ttl};
}

std::string ZookeeperGround::direct_url() const {
  return "zookeeper://127.0.0.1:" + std::to_string(port_) + root_;
}

Client ZookeeperGround::open_directly(Ms ttl) const {
  return open_quietly(direct_url() + ZookeeperServer::kTickOption, ttl);
}

std::string ZookeeperGround::path(std::string_view name) const {
  return root_ + "/" + std::string(name);
}

std::vector<std::string> ZookeeperGround::nodes(std::string_view name) {
  try {
    return shell_.children(path(name));
  } catch (const std::runtime_error&) {
    return {};
  }
}

testing::AssertionResult ZookeeperGround::has_nodes(std::string_view name,
                                                    std::size_t number) {
  return has(name, [&](const auto& all) { return all.size() == number; });
}

testing::AssertionResult ZookeeperGround::has(
    std::string_view name,
    const std::function<bool(const std::vector<std::string>&)>& those) {
  if (eventually([&] { return those(nodes(name)); })) {
    return testing::AssertionSuccess();
  }
  auto result = testing::AssertionFailure() << "there are:";
  for (const std::string& each : nodes(name)) result << " " << each;
  return result;
}

// A register is a node without children. A `ready` that was left behind is deleted by
// the next party that comes.
testing::AssertionResult ZookeeperGround::has_claims(const engine::Address& at,
                                                     std::size_t number) {
  if (at.kind == engine::Kind::semaphore) {
    const auto waiting =
        number == 0 ? has_nodes(at.name + "/locks", 0) : testing::AssertionSuccess();
    return waiting ? has_nodes(at.name + "/leases", number) : waiting;
  }
  return has(at.name, [&](const auto& all) {
    return all.size() == number + static_cast<std::size_t>(
                                      std::ranges::count(all, std::string("ready")));
  });
}

std::string ZookeeperGround::only_node(std::string_view name) {
  const auto all = nodes(name);
  if (all.size() != 1) throw std::runtime_error("there is not one node");
  return path(name) + "/" + all.front();
}

std::string ZookeeperGround::other_node(const std::string& one) {
  const std::string directory = one.substr(0, one.rfind('/') + 1);
  for (const std::string& each :
       shell_.children(directory.substr(0, directory.size() - 1))) {
    if (directory + each != one) return directory + each;
  }
  throw std::runtime_error("there is no other node");
}

std::int64_t ZookeeperGround::session_of(const std::string& path) {
  return shell_.stat(path).ephemeralOwner;
}

void ZookeeperGround::expire(std::int64_t session) {
  line_.unreachable(true);
  shell_.expire(session);
  line_.unreachable(false);
}

}  // namespace holdfast::test

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

OnZookeeper::OnZookeeper(std::uint16_t port)
    : port_(port),
      root_("/faults-" + std::to_string(getpid()) + "-" +
            std::to_string(std::random_device()())),
      shell_(port),
      line_(port, Protocol::zookeeper) {}

OnZookeeper::OnZookeeper() : OnZookeeper(shared_zookeeper()) {}

Client OnZookeeper::open_directly(Ms ttl) const {
  return open_quietly("zookeeper://127.0.0.1:" + std::to_string(port_) + root_ +
                          ZookeeperServer::kTickOption,
                      ttl);
}

std::string OnZookeeper::path(std::string_view name) const {
  return root_ + "/" + std::string(name);
}

std::vector<std::string> OnZookeeper::nodes(std::string_view name) {
  try {
    return shell_.children(path(name));
  } catch (const std::runtime_error&) {
    return {};
  }
}

testing::AssertionResult OnZookeeper::has_nodes(std::string_view name,
                                                std::size_t number) {
  return has(name, [&](const auto& all) { return all.size() == number; });
}

testing::AssertionResult OnZookeeper::has(
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
testing::AssertionResult OnZookeeper::has_claims(const engine::Address& at,
                                                 std::size_t number) {
  if (at.kind == engine::Kind::semaphore) return has_nodes(at.name + "/leases", number);
  return has(at.name, [&](const auto& all) {
    return all.size() == number + static_cast<std::size_t>(
                                      std::ranges::count(all, std::string("ready")));
  });
}

std::string OnZookeeper::only_node(std::string_view name) {
  const auto all = nodes(name);
  if (all.size() != 1) throw std::runtime_error("there is not one node");
  return path(name) + "/" + all.front();
}

std::string OnZookeeper::other_node(const std::string& one) {
  const std::string directory = one.substr(0, one.rfind('/') + 1);
  for (const std::string& each :
       shell_.children(directory.substr(0, directory.size() - 1))) {
    if (directory + each != one) return directory + each;
  }
  throw std::runtime_error("there is no other node");
}

std::int64_t OnZookeeper::session_of(const std::string& path) {
  return shell_.stat(path).ephemeralOwner;
}

void OnZookeeper::expire(std::int64_t session) {
  line_.unreachable(true);
  shell_.expire(session);
  line_.unreachable(false);
}

}  // namespace holdfast::test

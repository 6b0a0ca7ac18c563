// SPDX-License-Identifier: Apache-2.0

#include "world.h"

#include <utility>

#include "core/access.h"
#include "core/client_state.h"

namespace holdfast::test {

std::shared_ptr<FakeWorld> make_world(Sort sort, bool reserves_tokens) {
  engine::Traits traits = FakeEngine::default_traits();
  traits.leased = sort == Sort::leased || sort == Sort::leased_with_gate;
  traits.process_queue = sort == Sort::with_gate || sort == Sort::leased_with_gate;
  return FakeEngine::world(traits, reserves_tokens);
}

Client join(const std::shared_ptr<FakeWorld>& world, std::chrono::milliseconds ttl,
            Metrics* metrics) {
  ClientOptions options;
  options.ttl = ttl;
  options.payload = "tester";
  options.log = [](LogLevel, std::string_view) {};
  options.metrics = metrics;
  return Client::over(std::make_unique<FakeEngine>(world), options).value();
}

core::BoundResourcePtr bind(const Client& client, std::string name) {
  return core::Access::state(client)
      ->bind({engine::Kind::mutex, std::move(name)})
      .value();
}

std::size_t places(const std::shared_ptr<FakeWorld>& world, const std::string& name) {
  return world->server.survey({engine::Kind::mutex, name}, 1000).value().size();
}

void evict(const std::shared_ptr<FakeWorld>& world, const std::string& name) {
  const engine::Address address{engine::Kind::mutex, name};
  const auto entries = world->server.survey(address, 1).value();
  world->server.evict(address, entries.at(0).owner).value();
}

}  // namespace holdfast::test

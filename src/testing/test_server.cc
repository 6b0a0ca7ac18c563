// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "holdfast/testing.h"
#include "testing/fake_engine.h"

namespace holdfast::inline v0 {

TestServer::TestServer() : world_(test::FakeEngine::world()) {}

Result<Client> TestServer::client(const ClientOptions& options) const {
  return Client::over(engine(), options);
}

std::unique_ptr<engine::Engine> TestServer::engine() const {
  return std::make_unique<test::FakeEngine>(world_);
}

void TestServer::set_reachable(bool reachable) noexcept {
  world_->faults.unreachable = !reachable;
}

void TestServer::lose_replies(int calls) noexcept {
  world_->faults.lose_replies = calls;
}

void TestServer::lose_requests(int calls) noexcept {
  world_->faults.lose_requests = calls;
}

void TestServer::set_delay(std::chrono::milliseconds delay) noexcept {
  world_->faults.delay = delay;
}

void TestServer::hang(std::string name) { world_->block.begin(std::move(name)); }

void TestServer::resume() { world_->block.let_go(); }

std::size_t TestServer::end_holds(std::string_view name) {
  return world_->server.end_claims(name);
}

}  // namespace holdfast::inline v0

// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "conformance/fixtures.h"
#include "testing/fake_engine.h"

namespace holdfast::test {
namespace {

class Fake : public EngineUnderTest, public Faults {
 public:
  explicit Fake(engine::Traits traits) : world_(FakeEngine::world(traits)) {}

  Client open(ClientOptions options) override {
    return Client::over(std::make_unique<FakeEngine>(world_), options).value();
  }
  Faults* faults() noexcept override { return this; }

  void lose_replies(int calls) override { world_->faults.lose_replies = calls; }
  void lose_requests(int calls) override { world_->faults.lose_requests = calls; }
  void unreachable(bool on) override { world_->faults.unreachable = on; }

 private:
  const std::shared_ptr<FakeWorld> world_;
};

}  // namespace

std::unique_ptr<EngineUnderTest> make_fake() {
  engine::Traits traits = FakeEngine::default_traits();
  traits.process_queue = true;
  return std::make_unique<Fake>(traits);
}

std::unique_ptr<EngineUnderTest> make_fake_ungated() {
  engine::Traits traits = FakeEngine::default_traits();
  traits.process_queue = false;
  return std::make_unique<Fake>(traits);
}

}  // namespace holdfast::test

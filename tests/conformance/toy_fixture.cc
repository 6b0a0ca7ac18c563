// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "conformance/fixtures.h"
#include "toy/engine.h"

namespace holdfast::test {
namespace {

class Toy : public EngineUnderTest, public Faults {
 public:
  Client open(ClientOptions options) override {
    return Client::over(std::make_unique<toy::ToyEngine>(server_), std::move(options))
        .value();
  }
  Faults* faults() noexcept override { return this; }

  void lose_replies(int calls) override { server_->lose_replies = calls; }
  void lose_requests(int calls) override { server_->lose_requests = calls; }
  void unreachable(bool on) override { server_->unreachable = on; }

 private:
  const std::shared_ptr<toy::Server> server_ = std::make_shared<toy::Server>();
};

}  // namespace

std::unique_ptr<EngineUnderTest> make_toy() { return std::make_unique<Toy>(); }

}  // namespace holdfast::test

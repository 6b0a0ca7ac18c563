// SPDX-License-Identifier: Apache-2.0

#include "conformance/fixtures.h"
#include "support/temp_dir.h"

namespace holdfast::test {
namespace {

class Local : public EngineUnderTest {
 public:
  Client open(ClientOptions options) override {
    return Client::open(url(), options).value();
  }
  std::string url() const override { return "local://" + dir_.file("segment"); }
  std::chrono::milliseconds death_told_within() const override {
    return scaled(std::chrono::seconds(1));
  }

 private:
  TempDir dir_;
};

}  // namespace

std::unique_ptr<EngineUnderTest> make_local() { return std::make_unique<Local>(); }

}  // namespace holdfast::test

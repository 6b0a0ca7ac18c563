// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "conformance/fixtures.h"
#include "support/etcd_server.h"
#include "support/fault_proxy.h"

namespace holdfast::test {
namespace {

// There is one server for all tests of this process, with a prefix for each test.
EtcdServer& server() {
  static EtcdServer only;
  return only;
}

std::string next_prefix() {
  static int last = 0;
  return "/test-" + std::to_string(++last);
}

class Etcd : public EngineUnderTest, public Faults {
 public:
  Client open(ClientOptions options) override {
    return Client::open(line_.url(prefix_), options).value();
  }
  std::string url() const override { return server().url(prefix_); }
  Faults* faults() noexcept override { return this; }
  bool restart() override {
    // If it were asked to end, it would wait for its clients' streams.
    server().kill();
    server().start();
    return true;
  }

  void lose_replies(int calls) override { line_.lose_replies(calls); }
  void lose_requests(int calls) override { line_.lose_requests(calls); }
  void unreachable(bool on) override { line_.unreachable(on); }

 private:
  const std::string prefix_ = next_prefix();
  FaultProxy line_{server().port(), Protocol::etcd};
};

}  // namespace

std::unique_ptr<EngineUnderTest> make_etcd() { return std::make_unique<Etcd>(); }

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <utility>

#include "conformance/fixtures.h"
#include "support/etcd_server.h"
#include "support/etcd_shell.h"
#include "support/fault_proxy.h"

namespace holdfast::test {
namespace {

// There is one server for all tests of this process, with a prefix for each test.
EtcdServer& server() {
  static EtcdServer only;
  return only;
}

// This one has users, and lets no other client in.
EtcdServer& server_with_users() {
  static EtcdServer only;
  [[maybe_unused]] static const bool set_up = [] {
    EtcdShell shell(only.port());
    for (const std::string name : {"root", "ann"}) {
      shell.call("auth/user/add", R"({"name":")" + name + R"(","password":")" +
                                      std::string(kSecret) + R"("})");
      shell.call("auth/user/grant", R"({"user":")" + name + R"(","role":"root"})");
    }
    shell.call("auth/enable");
    return true;
  }();
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
  Client open_sharing(ClientOptions options) override {
    return Client::open(line_.url(prefix_ + "?hand_over=yes"), options).value();
  }
  std::string url() const override { return server().url(prefix_); }
  std::string url_with(std::string_view password) override {
    if (!users_line_) users_line_.emplace(server_with_users().port(), Protocol::etcd);
    return with_user(users_line_->url(prefix_), password);
  }
  Faults* faults() noexcept override { return this; }
  bool restart() override {
    // If it were asked to end, it would wait for its clients' streams.
    server().kill();
    server().start();
    return true;
  }

  void lose_replies(int calls) override { line_.lose_replies(calls); }
  void lose_requests(int calls) override { line_.lose_requests(calls); }
  void unreachable(bool on) override {
    line_.unreachable(on);
    if (users_line_) users_line_->unreachable(on);
  }

 private:
  const std::string prefix_ = next_prefix();
  FaultProxy line_{server().port(), Protocol::etcd};
  std::optional<FaultProxy> users_line_;
};

}  // namespace

std::unique_ptr<EngineUnderTest> make_etcd() { return std::make_unique<Etcd>(); }

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <map>
#include <string>

#include "support/etcd_server.h"
#include "support/etcd_shell.h"
#include "support/eventually.h"
#include "support/fault_proxy.h"
#include "support/scale.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// Makes calls as the engine does, over one connection.
class Caller {
 public:
  explicit Caller(const FaultProxy& line)
      : stub_(grpc::CreateChannel("127.0.0.1:" + std::to_string(line.port()),
                                  grpc::InsecureChannelCredentials())) {}

  // `message` is a request in which no field is longer than 127 bytes.
  bool call(const std::string& method, const std::string& message,
            std::chrono::milliseconds limit = patience()) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + limit);
    context.set_wait_for_ready(true);
    const grpc::Slice slice(message);
    const grpc::ByteBuffer request(&slice, 1);
    grpc::ByteBuffer answer;
    std::promise<bool> done;
    stub_.UnaryCall(
        &context, "/etcdserverpb." + method, {}, &request, &answer,
        [&done](const grpc::Status& status) { done.set_value(status.ok()); });
    return done.get_future().get();
  }

  bool put(const std::string& key, std::chrono::milliseconds limit = patience()) {
    return call("KV/Put", "\x0a" + std::string(1, static_cast<char>(key.size())) + key,
                limit);
  }

 private:
  grpc::GenericStub stub_;
};

class EtcdLine : public testing::Test {
 protected:
  bool has(std::string_view key) { return shell_.get(key).has_value(); }
  // A call may still be given to the connection that is ending, so it is retried.
  bool works_again() {
    return eventually([&] { return caller_.put("c"); });
  }

  const EtcdServer server_;
  EtcdShell shell_{server_.port()};
  FaultProxy line_{server_.port(), Protocol::etcd};
  Caller caller_{line_};
};

TEST_F(EtcdLine, PassesAndCounts) {
  // Each call has a deadline of its own in its headers.
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(caller_.put("a", patience() + i * 7ms));
    ASSERT_TRUE(caller_.call("Maintenance/Status", "", patience() + i * 11ms));
  }
  EXPECT_EQ(line_.passed(),
            (std::map<std::string, int>{{"Put", 200}, {"Status", 200}}));
}

TEST_F(EtcdLine, LosesRequests) {
  line_.lose_requests(1, 1);
  EXPECT_TRUE(caller_.put("a"));
  EXPECT_FALSE(caller_.put("b"));
  EXPECT_FALSE(has("b"));
  EXPECT_TRUE(works_again());
}

TEST_F(EtcdLine, LosesReplies) {
  line_.lose_replies(1, 1);
  EXPECT_TRUE(caller_.put("a"));
  EXPECT_FALSE(caller_.put("b"));
  EXPECT_TRUE(has("b"));
  EXPECT_TRUE(works_again());
}

TEST_F(EtcdLine, LosesCallsAlone) {
  line_.lose_requests(1);
  EXPECT_TRUE(caller_.call("Maintenance/Status", ""));
  EXPECT_TRUE(caller_.call("Lease/LeaseGrant", "\x08\x05"));
  EXPECT_FALSE(caller_.put("a"));
}

TEST_F(EtcdLine, FreezesAndThaws) {
  ASSERT_TRUE(caller_.put("a"));
  line_.freeze();
  EXPECT_FALSE(caller_.put("b", 100ms));
  EXPECT_FALSE(has("b"));
  line_.thaw();
  EXPECT_TRUE(works_again());
}

TEST_F(EtcdLine, Delays) {
  ASSERT_TRUE(caller_.put("a"));
  line_.delay(100ms);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(caller_.put("b"));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 100ms);
}

TEST_F(EtcdLine, IsCut) {
  ASSERT_TRUE(caller_.put("a"));
  line_.unreachable(true);
  EXPECT_FALSE(caller_.put("b", 100ms));
  line_.unreachable(false);
  EXPECT_TRUE(works_again());
}

}  // namespace
}  // namespace holdfast::test

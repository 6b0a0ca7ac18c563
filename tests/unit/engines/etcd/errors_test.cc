// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/errors.h"

#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include "base/transient.h"

namespace holdfast::etcd {
namespace {

Failure failure(grpc::StatusCode code, const std::string& text) {
  return failure_of(grpc::Status(code, text), "h1:2379");
}

TEST(EtcdErrors, ACallThatTheServerDidNotFinishMayHaveBeenDone) {
  for (const std::string text :
       {"context deadline exceeded", "context canceled", "raft proposal dropped",
        "etcdserver: server stopped"}) {
    for (const auto code : {grpc::UNKNOWN, grpc::INTERNAL, grpc::ABORTED}) {
      const Failure why = failure(code, text);
      EXPECT_EQ(why.code, Errc::outcome_unknown) << why.message();
      EXPECT_TRUE(base::is_transient(why));
      EXPECT_TRUE(is_of_this_member(grpc::Status(code, text)))
          << "another may do better";
    }
  }
}

TEST(EtcdErrors, WhatElseIsNotKnownIsNotRepeated) {
  const Failure why = failure(grpc::UNKNOWN, "Stream removed");
  EXPECT_EQ(why.code, Errc::incompatible) << why.message();
  EXPECT_FALSE(is_of_this_member(grpc::Status(grpc::UNKNOWN, "Stream removed")));
}

TEST(EtcdErrors, ALeaseThatIsNotFoundIsOver) {
  const Failure why = failure(grpc::NOT_FOUND, "etcdserver: requested lease not found");
  EXPECT_EQ(why.code, Errc::not_held) << why.message();
}

TEST(EtcdErrors, NameTheServerAndWhatHelps) {
  const struct {
    grpc::StatusCode code;
    std::string said;
    std::string text;
  } rows[] = {
      {grpc::UNAVAILABLE, "failed to connect to all addresses: Connection refused",
       "cannot reach etcd at h1:2379: Connection refused; check that it runs and can "
       "be reached"},
      {grpc::UNAVAILABLE, "Socket closed",
       "the connection to etcd at h1:2379 was lost (Socket closed): check that it runs "
       "and can be reached"},
      {grpc::DEADLINE_EXCEEDED, "Deadline Exceeded",
       "etcd at h1:2379 did not answer in time: check that it runs and can be reached"},
      {grpc::PERMISSION_DENIED, "etcdserver: permission denied",
       "etcd at h1:2379 refuses: etcdserver: permission denied; check the user, its "
       "password and its rights"},
      {grpc::DATA_LOSS, "what?",
       "etcd at h1:2379 gives an unknown answer: what?; check what runs there"},
  };
  for (const auto& each : rows) {
    EXPECT_EQ(failure(each.code, each.said).context, each.text);
  }
}

}  // namespace
}  // namespace holdfast::etcd

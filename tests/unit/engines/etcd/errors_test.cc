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

}  // namespace
}  // namespace holdfast::etcd

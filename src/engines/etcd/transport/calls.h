// SPDX-License-Identifier: Apache-2.0

// engines/etcd/transport/calls.h - unary calls: one request, one response.

#pragma once

#include <google/protobuf/message_lite.h>

#include <functional>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "engines/etcd/transport/channels.h"
#include "engines/etcd/transport/event_loop.h"
#include "engines/etcd/transport/wire.pb.h"
#include "holdfast/engine/claim.h"

namespace grpc {
class ClientContext;
class Status;
}  // namespace grpc

namespace holdfast::etcd {

// Safe for concurrent use. A call runs in the caller's own thread.
class Calls {
 public:
  using Message = google::protobuf::MessageLite;

  Calls(const Options& options, Channels& channels, EventLoop& loop) noexcept
      : options_(options), channels_(channels), loop_(loop) {}

  // A member that cannot be reached is passed over. If a member does not answer, the
  // response may have been lost: the call returns Errc::outcome_unknown, and the next
  // call goes to another member. Errc::not_held: the lease has ended.
  Result<void> call(const std::string& method, const Message& request,
                    Message& response, engine::Deadline until);

  Result<wire::TxnResponse> txn(const wire::TxnRequest& request,
                                engine::Deadline until);
  Result<wire::RangeResponse> range(const wire::RangeRequest& request,
                                    engine::Deadline until);

  // The token by which the server knows the user. An empty one: there is no user.
  struct AuthToken {
    std::string text;
    Clock::time_point since{};
    bool operator==(const AuthToken&) const = default;
  };
  AuthToken token();
  static void add_token(grpc::ClientContext& context, const AuthToken& token);

  // Gets a new token instead of `old`, unless another thread has done so meanwhile.
  Result<void> authenticate(const AuthToken& old, engine::Deadline until);
  bool has_user() const noexcept { return !options_.user.empty(); }

  // Sets what is called after every authentication, in the thread that did it.
  // REQUIRES: no call has been made yet.
  void on_authenticated(std::function<void()> callback) {
    on_authenticated_ = std::move(callback);
  }

 private:
  grpc::Status call_member(const Channels::MemberChannel& member,
                           const std::string& method, const AuthToken& token,
                           const Message& request, Message& response,
                           engine::Deadline until);
  bool must_authenticate();

  const Options& options_;
  Channels& channels_;
  EventLoop& loop_;
  std::function<void()> on_authenticated_;
  base::Mutex authenticating_;  // taken before mutex_
  base::Mutex mutex_;
  AuthToken token_ HOLDFAST_GUARDED_BY(mutex_);
  bool auth_is_off_ HOLDFAST_GUARDED_BY(mutex_) = false;  // the server has no users
};

}  // namespace holdfast::etcd

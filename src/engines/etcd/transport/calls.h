// SPDX-License-Identifier: Apache-2.0

// engines/etcd/transport/calls.h - unary calls: one request, one response.

#pragma once

#include <google/protobuf/message_lite.h>

#include <atomic>
#include <cstdint>
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

// The class is safe for concurrent use. A call runs in the caller's own thread.
//
// A member passes writes on to the leader. A write that is under way when the leader
// dies is lost, and the member says so only after several seconds, if at all. So while
// a call is not answered, the member is asked for its raft term, which it knows without
// the leader: if there was an election since the call was sent, the call is given up.
// So it is if the member does not answer that question either, and there is another.
class Calls {
 public:
  using Message = google::protobuf::MessageLite;

  Calls(const Options& options, Channels& channels, EventLoop& loop);

  // A member that cannot be reached is passed over. If a member does not answer, the
  // response may have been lost: the call returns Errc::outcome_unknown, and the next
  // call goes to another member. Errc::not_held: the lease has ended.
  template <class Response>
  Result<void> call(const std::string& method, const Message& request,
                    Response& response, engine::Deadline until) {
    auto done = ask(method, request, response, until);
    if (done) note_term(response.header());
    return done;
  }

  Result<wire::TxnResponse> txn(const wire::TxnRequest& request,
                                engine::Deadline until);
  Result<wire::RangeResponse> range(const wire::RangeRequest& request,
                                    engine::Deadline until);

  // The server knows the user by this token. It is empty if there is no user.
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

  // Returns "etcd at h1:2379,h2:2379", for messages.
  std::string servers() const { return "etcd at " + options_.spelt(); }

  // Sets what is called after every authentication, in the thread that did it.
  // REQUIRES: no call has been made yet.
  void on_authenticated(std::function<void()> callback) {
    on_authenticated_ = std::move(callback);
  }

 private:
  struct Unary;

  Result<void> ask(const std::string& method, const Message& request, Message& response,
                   engine::Deadline until);
  grpc::Status call_member(const Channels::MemberChannel& member,
                           const std::string& method, const AuthToken& token,
                           const Message& request, Message& response,
                           engine::Deadline until);
  void attend(Unary& call, std::uint64_t sent_in);
  bool is_check_due();
  void note_term(const wire::ResponseHeader& header) noexcept;
  bool must_authenticate();

  const Options& options_;
  Channels& channels_;
  EventLoop& loop_;
  wire::RangeRequest check_;            // is answered by the member alone
  std::atomic<std::uint64_t> term_{0};  // the newest that was heard of; zero: none
  std::function<void()> on_authenticated_;
  base::Mutex authenticating_;  // taken before mutex_
  base::Mutex mutex_;
  AuthToken token_ HOLDFAST_GUARDED_BY(mutex_);
  bool auth_is_off_ HOLDFAST_GUARDED_BY(mutex_) = false;      // the server has no users
  Clock::time_point check_at_ HOLDFAST_GUARDED_BY(mutex_){};  // not earlier
};

}  // namespace holdfast::etcd

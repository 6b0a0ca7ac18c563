// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/transport/calls.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <utility>

#include "engines/etcd/errors.h"
#include "engines/etcd/transport/deadline.h"

namespace holdfast::etcd {
namespace {

const std::string kAuthenticate = "/etcdserverpb.Auth/Authenticate";

// A call with less time than this does not make the client leave a member that has not
// answered: it may answer other calls, which have more time.
constexpr auto kShortestFairWait = std::chrono::milliseconds(400);

}  // namespace

grpc::Status Calls::call_member(const Channels::MemberChannel& member,
                                const std::string& method, const AuthToken& token,
                                const Message& request, Message& response,
                                engine::Deadline until) {
  const EventLoop::OneCall one_call(loop_);
  grpc::ClientContext context;
  context.set_deadline(to_timespec(until));
  if (method != kAuthenticate) add_token(context, token);
  grpc::CompletionQueue queue;
  grpc::TemplatedGenericStub<Message, Message> stub(member.channel);
  const auto call = stub.PrepareUnaryCall(&context, method, request, &queue);
  grpc::Status status;
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  return status;
}

Result<void> Calls::call(const std::string& method, const Message& request,
                         Message& response, engine::Deadline until) {
  bool authenticated = false;
  for (std::size_t tries = 1;; ++tries) {
    const Channels::MemberChannel member = channels_.current(Channels::For::calls);
    if (method != kAuthenticate && must_authenticate()) {
      if (auto done = authenticate(token(), until); !done) return done;
    }
    const AuthToken with = token();
    const auto asked = Clock::now();
    const grpc::Status status =
        call_member(member, method, with, request, response, until);
    if (status.ok()) return {};
    if (needs_new_token(status) && has_user() && !authenticated &&
        method != kAuthenticate) {
      authenticated = true;
      if (auto done = authenticate(with, until); !done) return done;
      continue;
    }
    const bool silent = status.error_code() == grpc::DEADLINE_EXCEEDED;
    if (silent && Clock::now() - asked >= kShortestFairWait) channels_.replace(member);
    if (is_of_this_member(status)) channels_.switch_from(member);
    if (is_unsent(status) && tries < channels_.size()) continue;
    auto why =
        failure_of(status, tries < channels_.size() ? channels_.where(member.index)
                                                    : options_.spelt());
    why.context += hint_about_tls(status, options_.tls);
    return why;
  }
}

bool Calls::must_authenticate() {
  if (!has_user()) return false;
  base::MutexLock lock(mutex_);
  return token_.text.empty() && !auth_is_off_;
}

// A second thread that waits here finds that there is a new token.
Result<void> Calls::authenticate(const AuthToken& old, engine::Deadline until) {
  base::MutexLock one_at_a_time(authenticating_);
  if (token() != old) return {};
  wire::AuthenticateRequest request;
  request.set_name(options_.user);
  request.set_password(options_.password.reveal());
  wire::AuthenticateResponse response;
  auto done = call(kAuthenticate, request, response, until);
  if (!done && done.error().context.find("not enabled") == std::string::npos) {
    return done;
  }
  {
    base::MutexLock lock(mutex_);
    token_ = {done ? response.token() : "", Clock::now()};
    auth_is_off_ = !done;
  }
  if (on_authenticated_) on_authenticated_();
  return {};
}

Calls::AuthToken Calls::token() {
  base::MutexLock lock(mutex_);
  return token_;
}

void Calls::add_token(grpc::ClientContext& context, const AuthToken& token) {
  if (!token.text.empty()) context.AddMetadata("token", token.text);
}

Result<wire::TxnResponse> Calls::txn(const wire::TxnRequest& request,
                                     engine::Deadline until) {
  static const std::string kMethod = "/etcdserverpb.KV/Txn";
  wire::TxnResponse response;
  auto done = call(kMethod, request, response, until);
  if (!done) return std::move(done).error();
  return response;
}

Result<wire::RangeResponse> Calls::range(const wire::RangeRequest& request,
                                         engine::Deadline until) {
  static const std::string kMethod = "/etcdserverpb.KV/Range";
  wire::RangeResponse response;
  auto done = call(kMethod, request, response, until);
  if (!done) return std::move(done).error();
  return response;
}

}  // namespace holdfast::etcd

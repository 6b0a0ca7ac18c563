// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/transport/calls.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <memory>
#include <optional>
#include <utility>

#include "engines/etcd/errors.h"
#include "engines/etcd/transport/deadline.h"

namespace holdfast::etcd {
namespace {

const std::string kAuthenticate = "/etcdserverpb.Auth/Authenticate";

const std::string kRange = "/etcdserverpb.KV/Range";
const std::string kTxn = "/etcdserverpb.KV/Txn";

// A call with less time than this does not make the client leave a member that has not
// answered: it may answer other calls, which have more time.
constexpr auto kShortestFairWait = std::chrono::milliseconds(400);

// How often it is seen to a call that is not answered.
constexpr auto kAttend = std::chrono::milliseconds(250);
// How long a member may take to say its term.
constexpr auto kCheck = std::chrono::milliseconds(750);

}  // namespace

// One call of gRPC, and what became of it.
struct Calls::Unary {
  Unary(grpc::CompletionQueue& on, const Channels::MemberChannel& at,
        const std::string& method, const AuthToken& with, const Message& request,
        Message& response, engine::Deadline until)
      : queue(on), member(at), token(with) {
    context.set_deadline(to_timespec(until));
    if (method != kAuthenticate) add_token(context, token);
    grpc::TemplatedGenericStub<Message, Message> stub(member.channel);
    call = stub.PrepareUnaryCall(&context, method, request, &queue);
    call->StartCall();
    call->Finish(&response, &status, this);
  }

  // Waits until a call of the queue has ended. Returns false if none has by then.
  static bool next(grpc::CompletionQueue& queue, engine::Deadline until) {
    void* tag = nullptr;
    bool ok = false;
    const auto got = queue.AsyncNext(&tag, &ok, to_timespec(until));
    if (got != grpc::CompletionQueue::GOT_EVENT) return false;
    static_cast<Unary*>(tag)->has_ended = true;
    return true;
  }

  void give_up() {
    context.TryCancel();
    while (!has_ended) next(queue, engine::Deadline::max());
  }

  grpc::CompletionQueue& queue;
  const Channels::MemberChannel& member;
  const AuthToken& token;
  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Message>> call;
  grpc::Status status;
  bool has_ended = false;
};

Calls::Calls(const Options& options, Channels& channels, EventLoop& loop)
    : options_(options), channels_(channels), loop_(loop) {
  check_.set_key(options.root + "%gone/");  // A user may read what is below the root.
  check_.set_serializable(true);
}

grpc::Status Calls::call_member(const Channels::MemberChannel& member,
                                const std::string& method, const AuthToken& token,
                                const Message& request, Message& response,
                                engine::Deadline until) {
  const EventLoop::OneCall one_call(loop_);
  const std::uint64_t sent_in = term_.load();
  grpc::CompletionQueue queue;
  Unary call(queue, member, method, token, request, response, until);
  if (!Unary::next(queue, Clock::now() + kAttend)) attend(call, sent_in);
  return call.status;
}

// The threads of a client that wait for a member share its answers: one of them asks.
void Calls::attend(Unary& call, std::uint64_t sent_in) {
  wire::RangeResponse answer;
  std::optional<Unary> check;
  while (!call.has_ended) {
    const bool elected = sent_in != 0 && term_.load() > sent_in;
    if (elected || channels_.current(Channels::For::calls) != call.member) {
      call.give_up();
      break;
    }
    if (!check && is_check_due()) {
      check.emplace(call.queue, call.member, kRange, call.token, check_, answer,
                    Clock::now() + kCheck);
    }
    Unary::next(call.queue, Clock::now() + kAttend);
    if (!check || !check->has_ended) continue;
    if (check->status.ok()) note_term(answer.header());
    const bool silent = check->status.error_code() == grpc::DEADLINE_EXCEEDED;
    if (silent && channels_.size() > 1) channels_.replace(call.member);
    check.reset();
  }
  if (check) check->give_up();
}

bool Calls::is_check_due() {
  base::MutexLock lock(mutex_);
  const auto now = Clock::now();
  if (now < check_at_) return false;
  check_at_ = now + kAttend;
  return true;
}

// A member that lags behind the others may tell an older term.
void Calls::note_term(const wire::ResponseHeader& header) noexcept {
  std::uint64_t newest = term_.load();
  while (newest < header.raft_term() &&
         !term_.compare_exchange_weak(newest, header.raft_term())) {
  }
}

Result<void> Calls::ask(const std::string& method, const Message& request,
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
  wire::TxnResponse response;
  auto done = call(kTxn, request, response, until);
  if (!done) return std::move(done).error();
  return response;
}

Result<wire::RangeResponse> Calls::range(const wire::RangeRequest& request,
                                         engine::Deadline until) {
  wire::RangeResponse response;
  auto done = call(kRange, request, response, until);
  if (!done) return std::move(done).error();
  return response;
}

}  // namespace holdfast::etcd

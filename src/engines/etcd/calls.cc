#include "engines/etcd/calls.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <utility>

#include "engines/etcd/deadline.h"
#include "engines/etcd/status.h"

namespace holdfast::etcd {
namespace {

const std::string kAuthenticate = "/etcdserverpb.Auth/Authenticate";

// A member that has not answered a call of less is not left for that: others, which
// have more time, are served by it.
constexpr auto kFairTime = std::chrono::milliseconds(400);

}  // namespace

grpc::Status Calls::try_on(const Channels::Line& line, const std::string& method,
                           const Pass& pass, const Message& question, Message& answer,
                           engine::Deadline until) {
  grpc::ClientContext context;
  context.set_deadline(to_timespec(until));
  if (method != kAuthenticate) sign(context, pass);
  grpc::CompletionQueue queue;
  grpc::TemplatedGenericStub<Message, Message> stub(line.channel);
  const auto call = stub.PrepareUnaryCall(&context, method, question, &queue);
  grpc::Status status;
  call->StartCall();
  call->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  return status;
}

Result<void> Calls::ask(const std::string& method, const Message& question,
                        Message& answer, engine::Deadline until) {
  bool signed_on = false;
  for (std::size_t tries = 1;; ++tries) {
    const Channels::Line line = channels_.present(Channels::For::calls);
    if (method != kAuthenticate && must_sign_on()) {
      if (auto done = sign_on(pass(), until); !done) return done;
    }
    const Pass with = pass();
    const auto asked = Clock::now();
    const grpc::Status status = try_on(line, method, with, question, answer, until);
    if (status.ok()) return {};
    if (wants_to_sign_on(status) && has_user() && !signed_on &&
        method != kAuthenticate) {
      signed_on = true;
      if (auto done = sign_on(with, until); !done) return done;
      continue;
    }
    const bool silent = status.error_code() == grpc::DEADLINE_EXCEEDED;
    if (silent && Clock::now() - asked >= kFairTime) channels_.give_up(line);
    if (is_of_this_member(status)) channels_.leave(line);
    if (is_unsent(status) && tries < channels_.size()) continue;
    auto why =
        failure_of(status, tries < channels_.size() ? channels_.where(line.member)
                                                    : options_.spelt());
    why.context += hint_about_tls(status, options_.tls);
    return why;
  }
}

bool Calls::must_sign_on() {
  if (!has_user()) return false;
  base::MutexLock lock(mutex_);
  return pass_.token.empty() && !nobody_asks_;
}

// Whoever comes second finds it done.
Result<void> Calls::sign_on(const Pass& old, engine::Deadline until) {
  base::MutexLock one_at_a_time(signing_on_);
  if (pass() != old) return {};
  wire::AuthenticateRequest request;
  request.set_name(options_.user);
  request.set_password(options_.password.reveal());
  wire::AuthenticateResponse answer;
  auto done = ask(kAuthenticate, request, answer, until);
  if (!done && done.error().context.find("not enabled") == std::string::npos) {
    return done;
  }
  {
    base::MutexLock lock(mutex_);
    pass_ = {done ? answer.token() : "", Clock::now()};
    nobody_asks_ = !done;
  }
  if (told_) told_();
  return {};
}

Calls::Pass Calls::pass() {
  base::MutexLock lock(mutex_);
  return pass_;
}

void Calls::sign(grpc::ClientContext& context, const Pass& pass) {
  if (!pass.token.empty()) context.AddMetadata("token", pass.token);
}

Result<wire::TxnResponse> Calls::txn(const wire::TxnRequest& request,
                                     engine::Deadline until) {
  static const std::string kMethod = "/etcdserverpb.KV/Txn";
  wire::TxnResponse answer;
  auto done = ask(kMethod, request, answer, until);
  if (!done) return std::move(done).error();
  return answer;
}

Result<wire::RangeResponse> Calls::range(const wire::RangeRequest& request,
                                         engine::Deadline until) {
  static const std::string kMethod = "/etcdserverpb.KV/Range";
  wire::RangeResponse answer;
  auto done = ask(kMethod, request, answer, until);
  if (!done) return std::move(done).error();
  return answer;
}

}  // namespace holdfast::etcd

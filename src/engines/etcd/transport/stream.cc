// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/transport/stream.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <utility>

#include "engines/etcd/errors.h"

namespace holdfast::etcd {

// One stream of gRPC. It may be destroyed when all its operations have finished.
struct Stream::Call {
  class Step final : public GrpcOperation {
   public:
    Step(Stream& stream, void (Stream::*then)(bool)) noexcept
        : stream_(stream), then_(then) {}
    void done(bool ok) override { (stream_.*then_)(ok); }

   private:
    Stream& stream_;
    void (Stream::*then_)(bool);
  };

  explicit Call(Stream& stream) noexcept
      : started(stream, &Stream::on_started),
        read(stream, &Stream::on_read),
        written(stream, &Stream::on_written),
        finished(stream, &Stream::on_finished) {}

  bool is_over() const noexcept {
    return is_finished && !is_starting && !is_reading && !is_writing;
  }

  grpc::ClientContext context;
  Channels::MemberChannel member;
  Calls::AuthToken token;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<Message, Message>> rpc;
  std::unique_ptr<Message> sending;
  grpc::Status status;
  bool is_starting = true;
  bool is_open = false;
  bool is_reading = false;
  bool is_writing = false;
  bool is_finishing = false;
  bool is_finished = false;
  Step started;
  Step read;
  Step written;
  Step finished;
};

Stream::Stream(EventLoop& loop, Channels& channels, Calls& calls, std::string method,
               std::unique_ptr<Message> answer, Handler& handler)
    : loop_(loop),
      channels_(channels),
      calls_(calls),
      method_(std::move(method)),
      answer_(std::move(answer)),
      handler_(handler),
      backoff_(channels.retry()) {}

Stream::~Stream() = default;

void Stream::keep_open() {
  {
    base::MutexLock lock(mutex_);
    if (keeps_open_) return;
    keeps_open_ = true;
  }
  loop_.wake();
}

void Stream::send(std::unique_ptr<Message> message, bool more) {
  base::MutexLock lock(mutex_);
  if (call_ == nullptr || !call_->is_open) return;
  unsent_.push_back(std::move(message));
  if (!more) write_next();
}

void Stream::restart() {
  base::MutexLock lock(mutex_);
  if (call_ == nullptr) return;
  channels_.replace(call_->member);
  call_->context.TryCancel();
  loop_.wake();
}

Calls::AuthToken Stream::token() {
  base::MutexLock lock(mutex_);
  return call_ != nullptr ? call_->token : Calls::AuthToken();
}

void Stream::reopen_with(const Calls::AuthToken& token) {
  base::MutexLock lock(mutex_);
  if (call_ != nullptr && call_->token != token) call_->context.TryCancel();
}

Clock::time_point Stream::work() {
  base::MutexLock lock(mutex_);
  if (!keeps_open_) return Clock::time_point::max();
  if (call_ != nullptr) {  // the stream follows the calls to another member
    if (call_->member != channels_.current(Channels::For::streams)) {
      call_->context.TryCancel();
    }
    return Clock::time_point::max();
  }
  if (Clock::now() < open_at_) return open_at_;
  open();
  return Clock::time_point::max();
}

bool Stream::stop() {
  base::MutexLock lock(mutex_);
  keeps_open_ = false;
  if (call_ != nullptr) call_->context.TryCancel();
  return call_ == nullptr;
}

void Stream::open() {
  call_ = std::make_unique<Call>(*this);
  call_->member = channels_.current(Channels::For::streams);
  call_->token = calls_.token();
  Calls::add_token(call_->context, call_->token);
  call_->context.AddMetadata("hasleader", "true");
  grpc::TemplatedGenericStub<Message, Message> stub(call_->member.channel);
  call_->rpc = stub.PrepareCall(&call_->context, method_, &loop_.queue());
  call_->rpc->StartCall(&call_->started);
}

void Stream::write_next() {
  if (!call_->is_open || call_->is_writing || unsent_.empty()) return;
  call_->sending = std::move(unsent_.front());
  unsent_.pop_front();
  call_->is_writing = true;
  grpc::WriteOptions options;
  if (!unsent_.empty()) options.set_buffer_hint();  // it is sent with the next one
  call_->rpc->Write(*call_->sending, options, &call_->written);
}

void Stream::finish() {
  call_->is_open = false;
  if (std::exchange(call_->is_finishing, true)) return;
  call_->rpc->Finish(&call_->status, &call_->finished);
}

void Stream::on_started(bool ok) {
  {
    base::MutexLock lock(mutex_);
    call_->is_starting = false;
    if (!ok) return finish();
    call_->is_open = true;
    call_->is_reading = true;
    call_->rpc->Read(answer_.get(), &call_->read);
  }
  handler_.on_open();
}

void Stream::on_read(bool ok) {
  if (ok) handler_.on_message(*answer_);
  {
    base::MutexLock lock(mutex_);
    if (ok) {
      backoff_.reset();
      call_->rpc->Read(answer_.get(), &call_->read);
      return;
    }
    call_->is_reading = false;
    finish();
  }
  clear_away();
}

void Stream::on_written(bool ok) {
  {
    base::MutexLock lock(mutex_);
    call_->is_writing = false;
    if (ok) write_next();
  }
  clear_away();
}

void Stream::on_finished(bool) {
  {
    base::MutexLock lock(mutex_);
    call_->is_finished = true;
  }
  clear_away();
}

void Stream::clear_away() {
  {
    base::MutexLock lock(mutex_);
    if (!call_->is_over()) return;
    if (is_of_this_member(call_->status)) channels_.switch_from(call_->member);
    call_.reset();
    unsent_.clear();
    open_at_ = Clock::now() + backoff_.failed();
  }
  handler_.on_break();
}

}  // namespace holdfast::etcd

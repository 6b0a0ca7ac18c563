// engines/etcd/calls.h - one question, one answer.

#pragma once

#include <google/protobuf/message_lite.h>

#include <string>

#include "base/mutex.h"
#include "engines/etcd/channels.h"
#include "engines/etcd/wire.pb.h"
#include "holdfast/engine/claim.h"

namespace grpc {
class ClientContext;
class Status;
}  // namespace grpc

namespace holdfast::etcd {

// Safe for concurrent use. The caller's own thread does the work.
class Calls {
 public:
  using Message = google::protobuf::MessageLite;

  Calls(const Options& options, Channels& channels) noexcept
      : options_(options), channels_(channels) {}

  // A member that cannot be reached is passed over; one that has not answered is left
  // for the next call, for the answer may have been lost: Errc::outcome_unknown.
  // Errc::not_held: the lease is over.
  Result<void> ask(const std::string& method, const Message& question, Message& answer,
                   engine::Deadline until);

  Result<wire::TxnResponse> txn(const wire::TxnRequest& request,
                                engine::Deadline until);
  Result<wire::RangeResponse> range(const wire::RangeRequest& request,
                                    engine::Deadline until);

  // Writes down who asks, for a call or a stream.
  void sign(grpc::ClientContext& context);
  std::string token();  // by which we are known now; empty: by none

 private:
  grpc::Status try_on(const Channels::Line& line, const std::string& method,
                      const Message& question, Message& answer, engine::Deadline until);
  bool must_sign_on();
  Result<void> sign_on(const std::string& old, engine::Deadline until);

  const Options& options_;
  Channels& channels_;
  base::Mutex signing_on_;  // taken first
  base::Mutex mutex_;
  std::string token_ HOLDFAST_GUARDED_BY(mutex_);
  bool nobody_asks_ HOLDFAST_GUARDED_BY(mutex_) = false;  // the server has no users
};

}  // namespace holdfast::etcd

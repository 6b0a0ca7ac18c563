// SPDX-License-Identifier: Apache-2.0

// engines/etcd/transport/txn.h - builds a transaction.
//
//   Txn txn;
//   txn.if_created(key, 0);
//   txn.then().put(key, "", lease);
//   txn.then().range(prefix_range);
//   txn.otherwise().get(key);
//   auto answer = calls.txn(txn.request(), until);
//
// etcd checks the conditions before any operation; then the operations follow each
// other, and each sees the effects of those before it.

#pragma once

#include <cstdint>
#include <string>

#include "engines/etcd/transport/wire.pb.h"

namespace holdfast::etcd {

// One transaction has at most so many conditions here; etcd takes 128 by default.
constexpr int kMostConditions = 100;

// Asks for every key that starts with `prefix`.
wire::RangeRequest all_below(const std::string& prefix);
// Asks for the same, without the values, in the reverse order of their creation.
wire::RangeRequest newest_below(const std::string& prefix, std::int64_t limit);
// Asks for the same, in the order of their creation.
wire::RangeRequest in_order_below(const std::string& prefix);

class Txn {
 public:
  // Adds operations to one branch. Their answers come in the same order.
  class Branch {
   public:
    void put(const std::string& key, const std::string& value, std::int64_t lease = 0);
    void erase(const std::string& key);
    void get(const std::string& key);
    void range(wire::RangeRequest request);

   private:
    friend class Txn;
    using Ops = google::protobuf::RepeatedPtrField<wire::RequestOp>;
    explicit Branch(Ops& ops) noexcept : ops_(ops) {}
    Ops& ops_;
  };

  // Compares: the key was created, or last changed, at this revision. Zero means that
  // it does not exist.
  void if_created(const std::string& key, std::int64_t revision);
  void if_changed(const std::string& key, std::int64_t revision);
  // Compares: the key is there, under this lease.
  void if_under(const std::string& key, std::int64_t lease);
  // Compares: no key starts with `prefix`.
  void if_none_below(const std::string& prefix);

  Branch then() noexcept { return Branch(*request_.mutable_success()); }
  Branch otherwise() noexcept { return Branch(*request_.mutable_failure()); }

  const wire::TxnRequest& request() const noexcept { return request_; }

 private:
  wire::TxnRequest request_;
};

// Returns the answer to a `get`, or null if there is no such key.
const wire::KeyValue* found(const wire::TxnResponse& answer, int index);
const wire::RangeResponse& ranged(const wire::TxnResponse& answer, int index);

}  // namespace holdfast::etcd

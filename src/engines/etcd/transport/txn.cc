// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/transport/txn.h"

#include <utility>

#include "engines/etcd/names.h"

namespace holdfast::etcd {

wire::RangeRequest all_below(const std::string& prefix) {
  wire::RangeRequest range;
  range.set_key(prefix);
  range.set_range_end(end_of(prefix));
  return range;
}

wire::RangeRequest newest_below(const std::string& prefix, std::int64_t limit) {
  wire::RangeRequest range = all_below(prefix);
  range.set_sort_target(wire::RangeRequest::CREATE);
  range.set_sort_order(wire::RangeRequest::DESCEND);
  range.set_limit(limit);
  range.set_keys_only(true);
  return range;
}

wire::RangeRequest in_order_below(const std::string& prefix) {
  wire::RangeRequest range = all_below(prefix);
  range.set_sort_target(wire::RangeRequest::CREATE);
  range.set_sort_order(wire::RangeRequest::ASCEND);
  return range;
}

void Txn::Branch::put(const std::string& key, const std::string& value,
                      std::int64_t lease) {
  auto* const put = ops_.Add()->mutable_request_put();
  put->set_key(key);
  put->set_value(value);
  put->set_lease(lease);
}

void Txn::Branch::erase(const std::string& key) {
  ops_.Add()->mutable_request_delete_range()->set_key(key);
}

void Txn::Branch::get(const std::string& key) {
  ops_.Add()->mutable_request_range()->set_key(key);
}

void Txn::Branch::range(wire::RangeRequest request) {
  *ops_.Add()->mutable_request_range() = std::move(request);
}

void Txn::if_created(const std::string& key, std::int64_t revision) {
  wire::Compare& compare = *request_.add_compare();
  compare.set_key(key);
  compare.set_target(wire::Compare::CREATE);
  compare.set_create_revision(revision);
}

void Txn::if_changed(const std::string& key, std::int64_t revision) {
  wire::Compare& compare = *request_.add_compare();
  compare.set_key(key);
  compare.set_target(wire::Compare::MOD);
  compare.set_mod_revision(revision);
}

// For a key that is not there, etcd compares with a lease of zero.
void Txn::if_under(const std::string& key, std::int64_t lease) {
  wire::Compare& compare = *request_.add_compare();
  compare.set_key(key);
  compare.set_target(wire::Compare::LEASE);
  compare.set_lease(lease);
}

// For an empty range, etcd compares with a creation revision of zero.
void Txn::if_none_below(const std::string& prefix) {
  wire::Compare& compare = *request_.add_compare();
  compare.set_key(prefix);
  compare.set_range_end(end_of(prefix));
  compare.set_target(wire::Compare::CREATE);
  compare.set_create_revision(0);
}

const wire::RangeResponse& ranged(const wire::TxnResponse& answer, int index) {
  static const wire::RangeResponse kNothing;
  if (index >= answer.responses_size()) return kNothing;
  return answer.responses(index).response_range();
}

const wire::KeyValue* found(const wire::TxnResponse& answer, int index) {
  const wire::RangeResponse& range = ranged(answer, index);
  return range.kvs_size() > 0 ? &range.kvs(0) : nullptr;
}

}  // namespace holdfast::etcd

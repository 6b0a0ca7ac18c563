// SPDX-License-Identifier: Apache-2.0

// tests/unit/engines/etcd/stored_keys.h - keys, and what etcd answers when it is asked
// for them.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engines/etcd/transport/wire.pb.h"

namespace holdfast::etcd {

inline wire::KeyValue stored_key(std::string key, std::int64_t created,
                                 std::string value = {}) {
  wire::KeyValue kv;
  kv.set_key(std::move(key));
  kv.set_create_revision(created);
  kv.set_mod_revision(created);
  kv.set_value(std::move(value));
  return kv;
}

// As far as Holdfast asks: a range of keys, in the order of their creation.
inline wire::RangeResponse answer_to(const wire::RangeRequest& request,
                                     std::vector<wire::KeyValue> keys) {
  std::erase_if(keys, [&](const wire::KeyValue& kv) {
    const std::int64_t newest = request.max_create_revision();
    return kv.key() < request.key() || kv.key() >= request.range_end() ||
           (newest != 0 && kv.create_revision() > newest);
  });
  const bool descends = request.sort_order() == wire::RangeRequest::DESCEND;
  std::sort(keys.begin(), keys.end(), [&](const auto& one, const auto& other) {
    return descends ? one.create_revision() > other.create_revision()
                    : one.create_revision() < other.create_revision();
  });
  wire::RangeResponse answer;
  answer.set_count(static_cast<std::int64_t>(keys.size()));
  for (wire::KeyValue& kv : keys) {
    if (request.limit() != 0 && answer.kvs_size() == request.limit()) break;
    *answer.add_kvs() = std::move(kv);
  }
  return answer;
}

}  // namespace holdfast::etcd

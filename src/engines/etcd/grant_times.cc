// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/grant_times.h"

#include <string_view>

#include "base/parse_whole.h"
#include "engines/etcd/names.h"
#include "engines/etcd/transport/txn.h"

namespace holdfast::etcd {
namespace {

using std::chrono::microseconds;
using std::chrono::system_clock;

}  // namespace

GrantTimes::GrantTimes(const std::string& root, const std::string& key)
    : below_(root + "%marks/since/" + key.substr(root.size()) + "/") {}

// Every revision has the same number of digits, so that the keys are in the order of
// the claims.
std::string GrantTimes::key_of(std::int64_t revision) const {
  const std::string digits = hex(static_cast<std::uint64_t>(revision));
  return below_ + std::string(16 - digits.size(), '0') + digits;
}

std::string GrantTimes::text_of(Clock::time_point granted) {
  const auto at = system_clock::now() - (Clock::now() - granted);
  return std::to_string(
      std::chrono::duration_cast<microseconds>(at.time_since_epoch()).count());
}

wire::RangeRequest GrantTimes::first(std::size_t limit) const {
  wire::RangeRequest range = all_below(below_);
  range.set_limit(static_cast<std::int64_t>(limit));
  return range;
}

GrantTimes::Times GrantTimes::read(const wire::RangeResponse& answer) const {
  Times times;
  for (const wire::KeyValue& kv : answer.kvs()) {
    const auto digits = std::string_view(kv.key()).substr(below_.size());
    const auto revision = base::parse_whole<std::int64_t>(digits, 16);
    const auto count = base::parse_whole<std::int64_t>(kv.value());
    if (!revision || !count) continue;
    times.emplace(*revision, system_clock::time_point(microseconds(*count)));
  }
  return times;
}

}  // namespace holdfast::etcd

// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/grant_times.h"

#include <charconv>
#include <string_view>

#include "engines/etcd/names.h"
#include "engines/etcd/transport/txn.h"

namespace holdfast::etcd {
namespace {

using std::chrono::microseconds;
using std::chrono::system_clock;

template <class Number>
bool read_number(std::string_view text, int base, Number& number) noexcept {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc{} && rest == end;
}

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
    std::int64_t revision = 0;
    std::int64_t count = 0;
    const auto digits = std::string_view(kv.key()).substr(below_.size());
    if (!read_number(digits, 16, revision) || !read_number(kv.value(), 10, count)) {
      continue;
    }
    times.emplace(revision, system_clock::time_point(microseconds(count)));
  }
  return times;
}

}  // namespace holdfast::etcd

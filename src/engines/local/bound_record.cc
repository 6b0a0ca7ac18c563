// SPDX-License-Identifier: Apache-2.0

#include "engines/local/bound_record.h"

#include <cstring>
#include <utility>

#include "base/common_failures.h"

namespace holdfast::local {
namespace {

std::uint64_t packed(RecordRef ref) {
  return (std::uint64_t{ref.record} << 32) | ref.generation;
}

}  // namespace

BoundRecord::BoundRecord(std::shared_ptr<ProcessSlot> process,
                         const engine::Address& address, RecordRef ref)
    : process_(std::move(process)),
      name_(new char[address.name.size() + 1]),
      kind_(address.kind),
      ref_(packed(ref)) {
  std::memcpy(name_.get(), address.name.c_str(), address.name.size() + 1);
}

std::string BoundRecord::quoted() const {
  return "\"" + std::string(name_.get()) + "\"";
}

Result<void> BoundRecord::find_again(engine::Deadline until) {
  const auto found = find_name(segment(), name_.get(), me(), until);
  if (!found) return found.error();
  ref_.store(packed(*found));
  return {};
}

Failure BoundRecord::not_held() const { return base::no_longer_held(name_.get()); }

Failure BoundRecord::wrong_kind() const { return base::used_by_another_kind(quoted()); }

}  // namespace holdfast::local

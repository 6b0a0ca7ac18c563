// SPDX-License-Identifier: Apache-2.0

#include "core/bound_resources.h"

#include <functional>
#include <utility>

namespace holdfast::core {

std::size_t BoundResources::index(engine::Kind kind,
                                  std::string_view name) const noexcept {
  const auto hash =
      std::hash<std::string_view>{}(name) + static_cast<std::size_t>(kind);
  return hash & (buckets_.size() - 1);
}

const BoundResource* BoundResources::find(engine::Kind kind,
                                          std::string_view name) const noexcept {
  const BoundResource* each = buckets_[index(kind, name)];
  while (each != nullptr && (each->kind() != kind || each->name() != name)) {
    each = each->next_;
  }
  return each;
}

const BoundResource* BoundResources::find(
    const engine::Resource& resource) const noexcept {
  const BoundResource* found = nullptr;
  each([&](const BoundResource& bound) {
    if (&bound.resource() == &resource) found = &bound;
  });
  return found;
}

void BoundResources::insert(const BoundResource& bound) {
  if (size_ >= buckets_.size()) grow();
  const BoundResource*& bucket = buckets_[index(bound.kind(), bound.name())];
  bound.next_ = std::exchange(bucket, &bound);
  ++size_;
}

void BoundResources::erase(const BoundResource& bound) noexcept {
  const BoundResource** link = &buckets_[index(bound.kind(), bound.name())];
  while (*link != nullptr && *link != &bound) link = &(*link)->next_;
  if (*link == nullptr) return;
  *link = bound.next_;
  --size_;
}

void BoundResources::grow() {
  auto before =
      std::exchange(buckets_, std::vector<const BoundResource*>(2 * buckets_.size()));
  for (const BoundResource* each : before) {
    while (each != nullptr) {
      const BoundResource* const next = each->next_;
      const BoundResource*& bucket = buckets_[index(each->kind(), each->name())];
      each->next_ = std::exchange(bucket, each);
      each = next;
    }
  }
}

}  // namespace holdfast::core

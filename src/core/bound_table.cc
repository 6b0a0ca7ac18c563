#include "core/bound_table.h"

#include <functional>
#include <utility>

namespace holdfast::core {

std::size_t BoundTable::index(engine::Kind kind, std::string_view name) const noexcept {
  const auto hash =
      std::hash<std::string_view>{}(name) + static_cast<std::size_t>(kind);
  return hash & (buckets_.size() - 1);
}

const Bound* BoundTable::find(engine::Kind kind, std::string_view name) const noexcept {
  const Bound* each = buckets_[index(kind, name)];
  while (each != nullptr && (each->kind() != kind || each->name() != name)) {
    each = each->next_;
  }
  return each;
}

const Bound* BoundTable::find(const engine::Resource& resource) const noexcept {
  const Bound* found = nullptr;
  each([&](const Bound& bound) {
    if (&bound.resource() == &resource) found = &bound;
  });
  return found;
}

void BoundTable::insert(const Bound& bound) {
  if (size_ >= buckets_.size()) grow();
  const Bound*& bucket = buckets_[index(bound.kind(), bound.name())];
  bound.next_ = std::exchange(bucket, &bound);
  ++size_;
}

void BoundTable::erase(const Bound& bound) noexcept {
  const Bound** link = &buckets_[index(bound.kind(), bound.name())];
  while (*link != nullptr && *link != &bound) link = &(*link)->next_;
  if (*link == nullptr) return;
  *link = bound.next_;
  --size_;
}

void BoundTable::grow() {
  auto before = std::exchange(buckets_, std::vector<const Bound*>(2 * buckets_.size()));
  for (const Bound* each : before) {
    while (each != nullptr) {
      const Bound* const next = each->next_;
      const Bound*& bucket = buckets_[index(each->kind(), each->name())];
      each->next_ = std::exchange(bucket, each);
      each = next;
    }
  }
}

}  // namespace holdfast::core

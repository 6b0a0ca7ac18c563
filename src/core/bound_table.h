// core/bound_table.h - finds a resource by its address.

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/bound_resource.h"

namespace holdfast::core {

// A hash table through its members, which it does not own: a few bytes each. Not safe
// for concurrent use.
class BoundTable {
 public:
  const BoundResource* find(engine::Kind kind, std::string_view name) const noexcept;
  const BoundResource* find(
      const engine::Resource& resource) const noexcept;  // looks at all
  void insert(const BoundResource& bound);  // REQUIRES: none of its address is there
  void erase(
      const BoundResource& bound) noexcept;  // nothing happens if it is not there

  template <class Use>
  void each(Use&& use) const {
    for (const BoundResource* bound : buckets_) {
      for (; bound != nullptr; bound = bound->next_) use(*bound);
    }
  }

 private:
  std::size_t index(engine::Kind kind, std::string_view name) const noexcept;
  void grow();

  std::vector<const BoundResource*> buckets_ = std::vector<const BoundResource*>(16);
  std::size_t size_ = 0;
};

}  // namespace holdfast::core

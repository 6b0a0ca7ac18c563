// SPDX-License-Identifier: Apache-2.0

// core/bound_resources.h - finds a resource by its address.

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/bound_resource.h"

namespace holdfast::core {

// A hash table whose chains run through its members, so that a member costs a few
// bytes. It does not own them. The class is not safe for concurrent use.
class BoundResources {
 public:
  const BoundResource* find(engine::Kind kind, std::string_view name) const noexcept;

  // Looks at every member, because the table is not sorted by resource.
  const BoundResource* find(const engine::Resource& resource) const noexcept;

  // REQUIRES: no member has the same address.
  void insert(const BoundResource& bound);

  // Does nothing if `bound` is not in the table.
  void erase(const BoundResource& bound) noexcept;

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

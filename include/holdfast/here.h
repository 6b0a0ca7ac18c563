// holdfast/here.h - says in which function, and for what, a lock is taken.
//
//   void restock(int item) {
//     holdfast::Here here("nightly restock");
//     std::scoped_lock guard(mutex);        // an operator sees `restock` and why
//   }
//
// Where the engine has room for it (mysql: the columns `function` and `description`),
// it stands beside each claim that this thread makes while the object lives.

#pragma once

#include <source_location>
#include <string_view>

#include "holdfast/export.h"

namespace holdfast {

// Belongs to the thread that made it; the innermost counts. `description` must outlive
// it.
class HOLDFAST_EXPORT Here {
 public:
  explicit Here(std::string_view description = {},
                std::source_location where = std::source_location::current()) noexcept;
  ~Here();
  Here(const Here&) = delete;
  Here& operator=(const Here&) = delete;

  std::string_view description() const noexcept { return description_; }
  const std::source_location& where() const noexcept { return where_; }

  // This thread's innermost; null: there is none.
  static const Here* innermost() noexcept;

 private:
  const std::string_view description_;
  const std::source_location where_;
  const Here* const outer_;
};

}  // namespace holdfast

// engines/etcd/marks.h - how a change to a register is known to have been made.
//
// A change whose answer is lost may have been made or not, and the number alone does
// not tell. So it is made in one transaction with another: of a key that only this
// session writes, its mark, which then says whose change was the last with it. The
// transaction wants the mark as it was, so one that arrives late comes to nothing.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/late_mark.h"
#include "base/mark_pool.h"
#include "engines/etcd/txn.h"

namespace holdfast::etcd {

struct Mark : base::LateMark {
  using LateMark::LateMark;

  std::int64_t lease = 0;     // under which it is written
  std::int64_t revision = 0;  // of its last change, as far as known
};

// Safe for concurrent use.
class Marks : public base::MarkPool<Mark> {
 public:
  explicit Marks(const std::string& root) : prefix_(root + "%marks/") {}

  std::string key_of(const Mark& mark) const;

  // `number`: what the register then holds, if anything.
  static std::string text_of(const Mark& mark, std::optional<std::int64_t> number);

  // What a mark says of its ticket's change. Nothing: it was not made.
  static std::optional<engine::Value> read(const Mark& mark, const wire::KeyValue* kv);

 private:
  const std::string prefix_;
};

}  // namespace holdfast::etcd

// engines/etcd/marks.h - how a change to a register is known to have been made.
//
// A change whose answer is lost may have been made or not, and the number alone does
// not tell. So it is made in one transaction with another: of a key that only this
// session writes, its mark, which then says whose change was the last with it. The
// transaction wants the mark as it was, so one that arrives late comes to nothing.

#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "engines/etcd/txn.h"
#include "holdfast/engine/claim.h"

namespace holdfast::etcd {

// Belongs to one call at a time.
struct Mark {
  const std::string name;
  engine::Ticket ticket = engine::Ticket::none;
  std::int64_t lease = 0;                       // under which it is written
  std::int64_t revision = 0;                    // of its last change, as far as known
  std::optional<engine::Exchanged> known = {};  // what became of the ticket's change
  bool in_doubt = false;                        // whether it was made
  bool busy = false;
};

// Safe for concurrent use.
class Marks {
 public:
  explicit Marks(const std::string& root) : prefix_(root + "%marks/") {}

  // The ticket's own, or another that is free. Give it back when the call is over.
  Mark& take(engine::Ticket ticket);
  void give_back(Mark& mark);

  std::string key_of(const Mark& mark) const;

  // `number`: what the register then holds, if anything.
  static std::string text_of(const Mark& mark, std::optional<std::int64_t> number);

  // What a mark says of its ticket's change. Nothing: it was not made.
  static std::optional<engine::Value> read(const Mark& mark, const wire::KeyValue* kv);

 private:
  const std::string prefix_;

  base::Mutex mutex_;
  std::list<Mark> marks_ HOLDFAST_GUARDED_BY(mutex_);  // least lately used first
  std::uint64_t made_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast::etcd

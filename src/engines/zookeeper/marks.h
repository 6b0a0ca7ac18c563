// engines/zookeeper/marks.h - how a change to a register is known to have been made.
//
// A change whose answer is lost may have been made or not, and the number alone does
// not tell. So each is made together with another: of a small node that only this
// session writes, its mark, which then says whose change was the last with it.

#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "engines/zookeeper/batch.h"
#include "holdfast/engine/claim.h"

namespace holdfast::zookeeper {

// Belongs to one call at a time.
struct Mark {
  const std::string path;
  engine::Ticket ticket = engine::Ticket::none;
  std::int64_t session = 0;  // in which it is there; zero: nowhere yet
  std::optional<engine::Exchanged> known = {};  // what became of the ticket's change
  std::int64_t sent_in = 0;                     // a session whose answer is not known
  bool busy = false;
};

// Safe for concurrent use.
class Marks {
 public:
  Marks(const std::string& root, const std::string& client);

  // The ticket's own, or another that is free. Give it back when the call is over.
  Mark& take(engine::Ticket ticket);
  void give_back(Mark& mark);

  // The operation that writes it. `number`: what the register then holds, if anything.
  static Op write(const Mark& mark, std::int64_t session,
                  std::optional<std::int64_t> number);

  // What a mark says of its ticket's change, from the node's content. Nothing: it was
  // not made.
  static std::optional<engine::Value> read(const Mark& mark, const Answer& node);

 private:
  const std::string prefix_;

  base::Mutex mutex_;
  std::list<Mark> marks_ HOLDFAST_GUARDED_BY(mutex_);  // least lately used first
  std::uint64_t made_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast::zookeeper

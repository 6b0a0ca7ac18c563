// engines/zookeeper/marks.h - how a change to a register is known to have been made.
//
// A change whose answer is lost may have been made or not, and the number alone does
// not tell. So each is made together with another: of a small node that only this
// session writes, its mark, which then says whose change was the last with it.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/mark_pool.h"
#include "engines/zookeeper/batch.h"
#include "holdfast/engine/claim.h"

namespace holdfast::zookeeper {

// Belongs to one call at a time.
struct Mark {
  explicit Mark(std::uint64_t made) : number(made) {}
  void begin(engine::Ticket next) noexcept {
    ticket = next;
    known.reset();
    sent_in = 0;
  }
  bool settled() const noexcept { return known || sent_in == 0; }

  const std::uint64_t number;
  engine::Ticket ticket = engine::Ticket::none;
  std::int64_t session = 0;  // in which it is there; zero: nowhere yet
  std::optional<engine::Exchanged> known = {};  // what became of the ticket's change
  std::int64_t sent_in = 0;                     // a session whose answer is not known
  bool busy = false;
};

// Safe for concurrent use.
class Marks : public base::MarkPool<Mark> {
 public:
  Marks(const std::string& root, const std::string& client);

  std::string path_of(const Mark& mark) const {
    return prefix_ + std::to_string(mark.number);
  }

  // The operation that writes it. `number`: what the register then holds, if anything.
  Op write(const Mark& mark, std::int64_t session,
           std::optional<std::int64_t> number) const;

  // What a mark says of its ticket's change, from the node's content. Nothing: it was
  // not made.
  static std::optional<engine::Value> read(const Mark& mark, const Answer& node);

 private:
  const std::string prefix_;
};

}  // namespace holdfast::zookeeper

#include "engines/zookeeper/register.h"

#include <utility>

namespace holdfast::zookeeper {

using engine::Deadline;
using engine::Exchanged;
using engine::Ticket;
using engine::Value;

Register::Register(Backend& backend, std::string path, Layout layout)
    : backend_(backend), path_(std::move(path)), layout_(layout) {}

Result<Cell> Register::read(const Answer& node) const {
  if (!node.ok() && node.code != ZNONODE) {
    return failure_of(node.code, "read " + path_);
  }
  auto cell = read_cell(layout_, node);
  if (!cell) {
    return used_by_another_kind(path_);
  }
  return *std::move(cell);
}

Result<Cell> Register::fetch(Deadline until, const Arm& arm) {
  auto handle = backend_.link().handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*std::move(handle));
  if (arm) arm(batch);
  const bool watch = remembers() && !remembered();
  const Spot end{path_, Change::children};
  if (watch) {
    base::MutexLock lock(mutex_);
    last_.reset();
    end_ = Lookout::make(backend_.ears(), {end}, nullptr);
  }
  if (watch) batch.children(path_, Ears::key(end));
  const auto got = batch.get(path_);
  if (auto done = batch.wait_to_read(until); !done) return std::move(done).error();
  auto cell = read(batch[got]);
  if (cell && cell->node) remember(*cell);
  return cell;
}

// A node that is removed and made anew has the old versions again. A watch on its
// children, which it has not, tells of its end and of nothing else.
std::optional<Cell> Register::remembered() const {
  base::MutexLock lock(mutex_);
  return end_ != nullptr && end_->quiet() ? last_ : std::nullopt;
}

void Register::remember(std::optional<Cell> cell) {
  if (!remembers()) return;
  base::MutexLock lock(mutex_);
  last_ = std::move(cell);
}

Result<Value> Register::load(Deadline until, const Arm& arm) {
  const auto cell = fetch(until, arm);
  if (!cell) return cell.error();
  return cell->value();
}

Result<Value> Register::add(std::int64_t by, Ticket ticket, Deadline until) {
  const auto added = change(
      ticket,
      [&](const Cell& cell) -> Result<Decision> {
        if (!cell.there && layout_ == Layout::latch) return Decision{false};
        std::int64_t sum = 0;
        if (__builtin_add_overflow(cell.number, by, &sum) ||
            !fits(layout_, cell, sum)) {
          return Failure(Errc::bad_argument, "the sum does not fit");
        }
        const bool open = layout_ == Layout::latch && sum <= 0;
        return Decision{true, open ? std::nullopt : std::optional(sum)};
      },
      until);
  if (!added) return added.error();
  return added->now;
}

Result<Exchanged> Register::exchange(const Value& from, std::optional<std::int64_t> to,
                                     Ticket ticket, Deadline until) {
  return change(
      ticket,
      [&](const Cell& cell) -> Result<Decision> {
        if (!engine::matches(from, cell.value())) return Decision{false};
        if (!cell.there && !to) return Decision{false};
        if (to && !fits(layout_, cell, *to)) {
          return Failure(Errc::bad_argument, "the number does not fit into 32 bits");
        }
        return Decision{true, to};
      },
      until);
}

}  // namespace holdfast::zookeeper

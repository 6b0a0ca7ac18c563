// engines/zookeeper/register.h - a register in one node.
//
// A change is made against the node's version; if that is out of date,
// kit::RegisterLoop reads the node and tries again.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "engines/kit/register_loop.h"
#include "engines/zookeeper/backend.h"
#include "engines/zookeeper/cell.h"
#include "engines/zookeeper/place.h"

namespace holdfast::zookeeper {

// Safe for concurrent use.
class Register {
 public:
  Register(Backend& backend, std::string path, Layout layout);

  const std::string& path() const noexcept { return path_; }

  // As in engine::Resource. `arm`: asks for watches on the way, before the look.
  using Arm = std::function<void(Batch&)>;
  Result<engine::Value> load(engine::Deadline until, const Arm& arm = {});
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until) {
    return kit::RegisterLoop(*this).add(by, ticket, until);
  }
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket, engine::Deadline until) {
    return kit::RegisterLoop(*this).exchange(from, to, ticket, until);
  }

  // What an answer to `Batch::get(path())` says. Errc::wrong_kind.
  Result<Cell> read(const Answer& node) const;

  // As kit::RegisterStore.
  using Seen = Cell;
  using Receipt = zookeeper::Receipt;
  kit::ReceiptPool<Receipt>& receipts() noexcept { return backend_.receipts(); }
  std::optional<Cell> cached() const;
  Result<Cell> read(engine::Deadline until) { return fetch(until); }
  Result<kit::Written<Cell>> write(const Cell& cell, std::optional<std::int64_t> to,
                                   Receipt* receipt, engine::Deadline until);
  Result<void> look_up(Receipt& receipt, engine::Deadline until);
  engine::Value value_of(const Cell& cell) const noexcept { return cell.value(); }
  bool fits(const Cell& cell, std::int64_t number) const noexcept {
    return zookeeper::fits(layout_, cell, number);
  }
  bool is_latch() const noexcept { return layout_ == Layout::latch; }
  std::string subject() const { return path_; }

 private:
  // What a refused write leads to: nothing, if it is worth another try.
  Result<void> explain(int code, const Cell& cell, Receipt* receipt, int receipt_code,
                       engine::Deadline until);
  Result<void> explain_missing(const Cell& cell, engine::Deadline until);
  Cell made_of(const Cell& before, std::optional<std::int64_t> to,
               const Stat& stat) const;

  Result<Cell> fetch(engine::Deadline until, const Arm& arm = {});
  void remember(std::optional<Cell> cell);
  bool remembers() const noexcept {
    return layout_ == Layout::counter || layout_ == Layout::shared_count;
  }

  Backend& backend_;
  const std::string path_;
  const Layout layout_;

  mutable base::Mutex mutex_;
  std::optional<Cell> last_ HOLDFAST_GUARDED_BY(mutex_);
  std::shared_ptr<Lookout> end_ HOLDFAST_GUARDED_BY(mutex_);  // of the node itself
};

}  // namespace holdfast::zookeeper

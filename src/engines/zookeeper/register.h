// engines/zookeeper/register.h - a register in one node.
//
// A change is made against the node's version: whoever comes second reads again. The
// last cell seen is remembered, so that a change that nobody disturbs is one request.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/mutex.h"
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
                            engine::Deadline until);
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket, engine::Deadline until);

  // What an answer to `Batch::get(path())` says. Errc::wrong_kind.
  Result<Cell> read(const Answer& node) const;

 private:
  struct Decision {
    bool change;
    std::optional<std::int64_t> to = {};
  };
  using Decide = std::function<Result<Decision>(const Cell&)>;

  Result<engine::Exchanged> change(engine::Ticket ticket, const Decide& decide,
                                   engine::Deadline until);
  Result<engine::Exchanged> change_with(Mark* mark, const Decide& decide,
                                        engine::Deadline until);
  Result<bool> find_out(Mark& mark, engine::Deadline until);
  Result<std::optional<Cell>> write(const Cell& cell, std::optional<std::int64_t> to,
                                    Mark* mark, engine::Deadline until);
  Result<std::optional<Cell>> missing(const Cell& cell, engine::Deadline until);
  Result<std::optional<Cell>> refused(int code, engine::Deadline until);

  Result<Cell> fetch(engine::Deadline until, const Arm& arm = {});
  std::optional<Cell> remembered() const;
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

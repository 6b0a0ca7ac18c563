// engines/mysql/register.h - the number in the row of a name.
//
// A change is made against the version that was seen last; if that is out of date, it
// is read and tried again. So one that nobody disturbs is one statement.

#pragma once

#include <functional>
#include <optional>

#include "base/mutex.h"
#include "engines/mysql/backend.h"
#include "engines/mysql/name_row.h"

namespace holdfast::mysql {

// Safe for concurrent use.
class Register {
 public:
  Register(Backend& backend, NameRow& row) : backend_(backend), row_(row) {}

  // As in engine::Resource.
  Result<engine::Value> load(engine::Deadline until);
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until);
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket, engine::Deadline until);

 private:
  // The row as it was seen. Its version grows also while there is no number.
  struct Seen {
    std::uint64_t id = 0;  // zero: there is no row
    std::uint64_t version = 0;
    std::optional<std::int64_t> number = {};

    engine::Value value() const noexcept {
      return number ? engine::Value{*number, version} : engine::Value{};
    }
  };
  struct Decision {
    bool change;
    std::optional<std::int64_t> to = {};
  };
  using Decide = std::function<Result<Decision>(const engine::Value&)>;

  Result<Seen> look(engine::Deadline until);
  Result<engine::Exchanged> change(engine::Ticket ticket, const Decide& decide,
                                   engine::Deadline until);
  Result<engine::Exchanged> change_with(Mark* mark, const Decide& decide,
                                        engine::Deadline until);
  // Whether it was made.
  Result<bool> write(const Seen& from, std::optional<std::int64_t> to, Mark* mark,
                     engine::Deadline until);
  Result<void> learn(Mark& mark, engine::Deadline until);

  Seen last() const;
  void remember(const Seen& seen);

  Backend& backend_;
  NameRow& row_;
  mutable base::Mutex mutex_;
  Seen last_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::mysql

#include <utility>

#include "base/ids.h"
#include "engines/zookeeper/register.h"

namespace holdfast::zookeeper {

using engine::Deadline;
using engine::Exchanged;
using engine::Ticket;

Result<Exchanged> Register::change(Ticket ticket, const Decide& decide,
                                   Deadline until) {
  if (ticket == Ticket::none) return change_with(nullptr, decide, until);
  Mark& mark = backend_.marks().take(ticket);
  auto changed = change_with(&mark, decide, until);
  if (changed) mark.known = *changed;
  backend_.marks().give_back(mark);
  return changed;
}

Result<Exchanged> Register::change_with(Mark* mark, const Decide& decide,
                                        Deadline until) {
  if (mark != nullptr && mark->known) return *mark->known;
  if (mark != nullptr && mark->sent_in != 0) {
    const auto made = find_out(*mark, until);
    if (!made.has_value()) return made.error();
    if (*made) return *mark->known;
  }
  auto cell = remembered();
  for (;;) {
    const bool fresh = !cell;
    if (fresh) {
      auto fetched = fetch(until);
      if (!fetched) return std::move(fetched).error();
      cell = *std::move(fetched);
    }
    const auto decision = decide(*cell);
    if (!fresh && (!decision || !decision->change)) {  // by what may be out of date
      cell.reset();
      continue;
    }
    if (!decision) return decision.error();
    if (!decision->change) return Exchanged{false, cell->value()};
    auto written = write(*cell, decision->to, mark, until);
    if (!written) return std::move(written).error();
    remember(cell->node ? *written : std::nullopt);
    if (*written) return Exchanged{true, (*written)->value()};
    cell.reset();
    if (Clock::now() >= until) {
      return Failure(Errc::unavailable, path_ + " was changed by others all the time");
    }
  }
}

// Whether the change that was sent with the mark has been made.
Result<bool> Register::find_out(Mark& mark, Deadline until) {
  auto handle = backend_.link().handle(until);
  if (!handle) return std::move(handle).error();
  if ((*handle)->id() != mark.sent_in) {
    return Failure(Errc::outcome_unknown,
                   "the session ended before ZooKeeper had answered");
  }
  Batch batch(*std::move(handle));
  const std::string path = backend_.marks().path_of(mark);
  batch.sync(path);
  const auto got = batch.get(path);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  const Answer& node = batch[got];
  if (!node.ok() && node.code != ZNONODE) return failure_of(node.code, "read a mark");
  mark.session = node.ok() ? batch.session() : 0;
  const auto value = Marks::read(mark, node);
  if (value) mark.known = Exchanged{true, *value};
  mark.sent_in = 0;
  return value.has_value();
}

// The cell as it is then; nothing: it was not as it should be, or something is missing
// and has been made.
Result<std::optional<Cell>> Register::write(const Cell& cell,
                                            std::optional<std::int64_t> to, Mark* mark,
                                            Deadline until) {
  auto handle = backend_.link().handle(until);
  if (!handle) return std::move(handle).error();
  const std::int64_t session = (*handle)->id();
  auto ops = write_cell(layout_, cell, path_, to, base::to_string(base::random_uuid()),
                        backend_.payload());
  const std::size_t own = ops.size();
  const bool create = !cell.node || cell.leftover;
  std::size_t main = 0;
  while (ops[main].path != path_ || (cell.leftover && main == 0)) ++main;
  if (mark != nullptr) {
    ops.push_back(backend_.marks().write(*mark, session, to));
    mark->sent_in = session;
  }
  Batch batch(*std::move(handle));
  const auto all = batch.all(std::move(ops));
  const auto seen = create ? batch.exists(path_) : all;
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  if (mark != nullptr) mark->sent_in = 0;
  if (const int code = batch[all].code; code != ZOK) {
    if (mark != nullptr && batch.op_code(own) == ZNONODE) {
      mark->session = 0;
      if (auto made = backend_.make_parents(backend_.marks().path_of(*mark), until);
          !made) {
        return std::move(made).error();
      }
      return std::optional<Cell>();
    }
    if (mark != nullptr && batch.op_code(own) == ZNODEEXISTS) mark->session = session;
    if (code == ZNONODE && !create) return missing(cell, until);
    return refused(code, until);
  }
  if (mark != nullptr) mark->session = session;
  Cell now;
  now.node =
      to.has_value() || layout_ == Layout::counter || layout_ == Layout::shared_count;
  now.there = to.has_value();
  now.number = to.value_or(0);
  now.width = cell.width;
  const Stat& stat = create ? batch[seen].stat : batch.op_stat(main);
  now.node_version = create ? 0 : stat.version;
  now.version = static_cast<std::uint64_t>(create ? stat.czxid : stat.mzxid);
  return std::optional(std::move(now));
}

// It went, or the tag of a latch that is as before: then it is not one of ours.
Result<std::optional<Cell>> Register::missing(const Cell& cell, Deadline until) {
  const auto now = fetch(until);
  if (!now) return now.error();
  if (now->there && now->version == cell.version) {
    return Failure(Errc::incompatible,
                   path_ + " is not a latch that Holdfast has made");
  }
  return std::optional<Cell>();
}

Result<std::optional<Cell>> Register::refused(int code, Deadline until) {
  switch (code) {
    case ZNONODE:
      if (auto made = backend_.make_parents(path_, until); !made) {
        return std::move(made).error();
      }
      return std::optional<Cell>();
    case ZBADVERSION:
    case ZNODEEXISTS:
      return std::optional<Cell>();
    case ZNOTEMPTY:
      return used_by_another_kind(path_);
    default:
      return failure_of(code, "change " + path_);
  }
}

}  // namespace holdfast::zookeeper

#include "engines/mysql/register.h"

#include <utility>

#include "engines/mysql/sql.h"
#include "engines/mysql/status.h"

namespace holdfast::mysql {

using engine::Deadline;
using engine::Exchanged;
using engine::Kind;
using engine::Ticket;
using engine::Value;

Register::Seen Register::last() const {
  base::MutexLock lock(mutex_);
  return last_;
}

void Register::remember(const Seen& seen) {
  base::MutexLock lock(mutex_);
  if (seen.id != last_.id || seen.version > last_.version) last_ = seen;
}

// A row that another kind had, and does not need, is as good as none.
Result<Register::Seen> Register::look(Deadline until) {
  Args args;
  args << std::string_view(row_.name());
  auto answer = backend_.run(sql::kLoad, args, until);
  if (!answer) return std::move(answer).error();
  if (answer->rows.empty()) {
    row_.forget();
    remember({});
    return Seen{};
  }
  const Row& row = answer->rows.front();
  if (row[1].number != number_of(row_.kind())) {
    row_.forget();
    auto id = row_.need(until);
    if (!id) return std::move(id).error();
    return look(until);
  }
  Seen seen{.id = row[0].count(), .version = row[3].count()};
  if (!row[2].null) seen.number = row[2].number;
  row_.remember(seen.id);
  remember(seen);
  return seen;
}

Result<Value> Register::load(Deadline until) {
  const auto seen = look(until);
  if (!seen) return seen.error();
  return seen->value();
}

Result<Value> Register::add(std::int64_t by, Ticket ticket, Deadline until) {
  const bool latch = row_.kind() == Kind::latch;
  const auto added = change(
      ticket,
      [&](const Value& now) -> Result<Decision> {
        if (now.version == 0 && latch) return Decision{false};
        std::int64_t sum = 0;
        if (__builtin_add_overflow(now.number, by, &sum)) {
          return Failure(Errc::bad_argument, "the sum does not fit");
        }
        const bool open = latch && sum <= 0;
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
      [&](const Value& now) -> Result<Decision> {
        if (!engine::matches(from, now)) return Decision{false};
        return Decision{now.version != 0 || to.has_value(), to};
      },
      until);
}

Result<Exchanged> Register::change(Ticket ticket, const Decide& decide,
                                   Deadline until) {
  if (ticket == Ticket::none) return change_with(nullptr, decide, until);
  Mark& mark = backend_.marks().take(ticket);
  auto changed = [&]() -> Result<Exchanged> {
    if (mark.in_doubt) {
      if (auto learnt = learn(mark, until); !learnt) return std::move(learnt).error();
    }
    if (mark.known) return *mark.known;
    return change_with(&mark, decide, until);
  }();
  if (changed) mark.known = *changed;
  mark.may_arrive = mark.doubted();
  backend_.marks().give_back(mark);
  return changed;
}

// What became of the ticket's tries.
Result<void> Register::learn(Mark& mark, Deadline until) {
  Args args;
  args << std::string_view(backend_.client()) << mark.number;
  auto answer = backend_.run(sql::kMark, args, until);
  if (!answer) return std::move(answer).error();
  mark.in_doubt = false;
  if (answer->rows.empty()) return {};
  const Row& row = answer->rows.front();
  if (row[0].count() != static_cast<std::uint64_t>(mark.ticket)) return {};
  Exchanged done{true, {}};
  if (!row[1].null) done.now = {row[1].number, row[2].count()};
  mark.known = done;
  return {};
}

// What is remembered may be out of date: by that alone nothing is refused. Nor by what
// is so because an earlier try has arrived after all.
Result<Exchanged> Register::change_with(Mark* mark, const Decide& decide,
                                        Deadline until) {
  Seen seen = last();
  bool fresh = false;
  for (;;) {
    auto decision = decide(seen.value());
    if (!fresh && (seen.id == 0 || !decision || !decision->change)) {
      auto looked = look(until);
      if (!looked) return std::move(looked).error();
      seen = *looked;
      fresh = true;
      continue;
    }
    const bool refused = !decision || !decision->change;
    if (!refused && seen.id == 0) {
      if (auto made = row_.need(until); !made) return std::move(made).error();
      fresh = false;
      continue;
    }
    if (!refused) {
      const auto written = write(seen, decision->to, mark, until);
      if (!written.has_value()) return written.error();
      if (*written) {
        const Seen now{seen.id, seen.version + 1, decision->to};
        remember(now);
        return Exchanged{true, now.value()};
      }
    }
    if (mark != nullptr && mark->may_arrive) {
      if (auto learnt = learn(*mark, until); !learnt) return std::move(learnt).error();
      if (mark->known) return *mark->known;
    }
    if (!decision) return decision.error();
    if (refused) return Exchanged{false, seen.value()};
    seen.id = 0;
    fresh = false;
    if (Clock::now() >= until) {
      return Failure(Errc::unavailable,
                     "\"" + row_.name() + "\" was changed by others all the time");
    }
  }
}

Result<bool> Register::write(const Seen& from, std::optional<std::int64_t> to,
                             Mark* mark, Deadline until) {
  const std::uint64_t next = from.version + 1;
  Args args;
  if (mark == nullptr) {
    args << to << next << from.id << number_of(row_.kind()) << from.version;
    auto changed = backend_.run(sql::kChange, args, until);
    if (!changed) return std::move(changed).error();
    return changed->matched > 0;
  }
  args << std::string_view(backend_.client()) << mark->number << to << next
       << static_cast<std::uint64_t>(mark->ticket) << to << next << from.id
       << number_of(row_.kind()) << from.version
       << static_cast<std::uint64_t>(mark->ticket);
  mark->in_doubt = true;
  auto changed = backend_.run(sql::kChangeMarked, args, until);
  if (!changed) {
    mark->in_doubt = changed.error().code == Errc::outcome_unknown;
    return std::move(changed).error();
  }
  mark->in_doubt = false;
  if (changed->matched > 0) return true;
  Args make;
  make << std::string_view(backend_.client()) << mark->number;
  auto made = backend_.run(sql::kMakeMark, make, until);
  if (!made) return Failure(Errc::unavailable, made.error().context);
  return false;
}

}  // namespace holdfast::mysql

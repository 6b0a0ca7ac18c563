#include "engines/zookeeper/semaphore.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/transient.h"
#include "engines/zookeeper/pauses.h"
#include "engines/zookeeper/survey.h"

namespace holdfast::zookeeper {

using engine::Claim;
using engine::Deadline;
using engine::Entry;
using engine::Granted;

namespace {

Failure too_many(std::int64_t capacity) {
  return {Errc::bad_argument, "more permits were asked for than the " +
                                  std::to_string(capacity) + " that there are"};
}

}  // namespace

// What is taken and how much there is, asked for on the way to the line.
class SemaphoreResource::Stock final : public Rider {
 public:
  explicit Stock(SemaphoreResource& of)
      : of_(of), leases_{of.leases_, Change::children}, permits_{of.permits_.path()} {}

  // From now on, what is asked for is watched: by those who wait in line how much there
  // is, by the first of them also what is taken.
  enum class What : bool { permits, both };
  std::shared_ptr<Lookout> listen(What what, const engine::Waker& waker) {
    watch_permits_ = true;
    watch_leases_ = what == What::both;
    std::vector<Spot> spots{permits_};
    if (watch_leases_) spots.push_back(leases_);
    return Lookout::make(of_.backend().ears(), std::move(spots), waker);
  }

  void board(Batch& batch) override {
    if (watch_permits_) batch.exists(permits_.path, Ears::key(permits_));
    taken_at_ = batch.children(leases_.path, watch_leases_ ? Ears::key(leases_) : 0);
    permits_at_ = batch.get(permits_.path);
  }
  void arrive(const Batch& batch) override {
    arrived_ = true;
    taken_ = batch[taken_at_];
    found_ = batch[permits_at_];
  }

  void stay() override { arrived_ = false; }

  // Without the line. False: the place in it is gone.
  Result<bool> fetch(const Place& place, Deadline until) {
    auto handle = of_.backend().link().handle(until);
    if (!handle) return std::move(handle).error();
    Batch batch(*std::move(handle));
    const auto own = batch.exists(place.node);
    board(batch);
    if (auto done = batch.wait(until); !done) return std::move(done).error();
    arrive(batch);
    return batch[own].ok() && batch[own].stat.ephemeralOwner == place.session;
  }
  bool arrived() const noexcept { return arrived_; }

  const std::vector<std::string>& taken() const noexcept { return taken_.names; }
  const Answer& permits() const noexcept { return found_; }

 private:
  SemaphoreResource& of_;
  const Spot leases_;
  const Spot permits_;
  bool watch_permits_ = false;
  bool watch_leases_ = false;
  std::size_t taken_at_ = 0;
  std::size_t permits_at_ = 0;
  bool arrived_ = false;
  Answer taken_;
  Answer found_;
};

SemaphoreResource::SemaphoreResource(std::shared_ptr<Backend> backend, std::string path)
    : ZookeeperResource(std::move(backend), std::move(path)),
      leases_(this->path() + "/leases"),
      queue_(this->backend(), this->path() + "/locks", engine::Kind::mutex),
      permits_(this->backend(), this->path() + "/permits", Layout::shared_count) {}

std::vector<std::string> SemaphoreResource::directories() const {
  return {queue_.directory(), leases_};
}

std::vector<Spot> SemaphoreResource::spots() const {
  return {{path(), Change::data},
          {path(), Change::children},
          {leases_, Change::data},
          {leases_, Change::children},
          {permits_.path(), Change::data}};
}

Result<engine::Verdict> SemaphoreResource::attempt(const Claim& claim,
                                                   const engine::Waker& waker,
                                                   Deadline until) {
  const auto asked = Clock::now();
  const auto place = place_of(claim);
  if (place->granted && held_place(claim, until)) return grant(claim, *place, asked);
  if (place->taking) {
    const auto done = recover(*place, until);
    if (!done) return done.error();
    if (*done) return grant(claim, *place, asked);
  }
  if (auto good = check(until); !good) return std::move(good).error();
  Stock stock(*this);
  using What = Stock::What;
  if (waker != nullptr) place->stock = stock.listen(What::permits, waker);
  const auto turn =
      queue_.ask(*place, claim.mode, content(claim), waker, until, &stock);
  if (!turn) return turn.error();
  if (!turn->come) {
    const auto enough = is_enough(stock, claim);
    if (!enough) (void)leave(claim, until);
    if (!enough) return enough.error();
    if (waker == nullptr) places().erase(claim.ticket);
    return engine::Verdict(engine::Blocked{pause_behind(turn->ahead)});
  }
  auto taken = take(*place, claim, stock, until);
  if (taken && !*taken && waker != nullptr) {
    place->stock = stock.listen(What::both, waker);
    stock.stay();
    taken = take(*place, claim, stock, until);
  }
  if (!taken && taken.error().code == Errc::not_held) {
    place->start_again(place->session);
    return attempt(claim, waker, until);
  }
  if (!taken) {
    if (!base::is_transient(taken.error())) (void)leave(claim, until);
    return taken.error();
  }
  if (*taken) return grant(claim, *place, asked);
  if (waker == nullptr) {
    if (auto left = leave(claim, until); !left) return std::move(left).error();
  }
  return engine::Verdict(engine::Blocked{pause_behind(0)});
}

Result<void> SemaphoreResource::leave(const Claim& claim, Deadline until) {
  auto left = drop(claim, until);
  if (!left && left.error().code == Errc::not_held) return {};
  return left;
}

// Before anything is made below it.
Result<void> SemaphoreResource::check(Deadline until) {
  if (known_.load()) return {};
  auto handle = backend().link().handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*std::move(handle));
  const auto listed = batch.children(path());
  if (auto done = batch.wait(until); !done) return done;
  const auto foreign = [](const std::string& child) {
    return !belongs(sort_of(child), engine::Kind::semaphore);
  };
  const Answer& list = batch[listed];
  if (list.stat.dataLength != 0 ||
      std::any_of(list.names.begin(), list.names.end(), foreign)) {
    return Failure(Errc::wrong_kind,
                   path() + " is in use by another kind of primitive");
  }
  known_.store(true);
  return {};
}

// Whether there will ever be as many permits as asked for, as far as is known.
Result<void> SemaphoreResource::is_enough(const Stock& stock,
                                          const Claim& claim) const {
  if (!stock.arrived()) return {};
  const auto cell = permits_.read(stock.permits());
  if (!cell) return cell.error();
  if (!cell->there || claim.permits <= cell->number) return {};
  return too_many(cell->number);
}

// The first to name a number stores it.
Result<std::uint32_t> SemaphoreResource::capacity_of(const Stock& stock,
                                                     const Claim& claim,
                                                     Deadline until) {
  auto cell = permits_.read(stock.permits());
  if (!cell) return std::move(cell).error();
  std::int64_t number = cell->number;
  if (!cell->there && claim.capacity > 0) {
    auto stored = permits_.exchange({}, claim.capacity, engine::Ticket::none, until);
    if (!stored) return std::move(stored).error();
    number = stored->now.number;
  }
  return static_cast<std::uint32_t>(std::max<std::int64_t>(number, 0));
}

// Whether there were permits enough. We are the first in line: others can only give
// back.
Result<bool> SemaphoreResource::take(Place& place, const Claim& claim, Stock& stock,
                                     Deadline until) {
  if (!stock.arrived()) {
    const auto there = stock.fetch(place, until);
    if (!there) return there.error();
    if (!*there) return Errc::not_held;
  }
  const auto capacity = capacity_of(stock, claim, until);
  if (!capacity) return capacity.error();
  if (claim.permits > *capacity) return too_many(*capacity);
  if (stock.taken().size() + claim.permits > *capacity) return false;
  if (auto made = make_leases(place, claim, until); !made) {
    return std::move(made).error();
  }
  return true;
}

// The nodes of the permits are made and the place in line is left, all or nothing. What
// is written into the place on the way tells the number of the transaction, which is
// that of the permits too. Errc::not_held: the place was removed.
Result<void> SemaphoreResource::make_leases(Place& place, const Claim& claim,
                                            Deadline until) {
  const std::string name =
      leases_ + "/" + protection(place.id) + std::string(base_of(Sort::lease));
  std::vector<Op> ops{{Op::What::set, place.node, std::string(content(claim))}};
  for (std::uint32_t i = 0; i < claim.permits; ++i) {
    ops.push_back({Op::What::create, name, std::string(content(claim)),
                   Node::ephemeral_sequential});
  }
  ops.push_back({Op::What::remove, place.node});
  for (;;) {
    auto handle = backend().link().handle(until);
    if (!handle) return std::move(handle).error();
    if ((*handle)->id() != place.session) return Errc::not_held;
    Batch batch(*std::move(handle));
    place.taking = true;
    const auto all = batch.all(ops);
    if (auto done = batch.wait(until); !done) return done;
    place.taking = false;
    if (batch[all].ok()) {
      place.token = static_cast<std::uint64_t>(batch.op_stat(0).mzxid);
      place.leases.clear();
      for (std::size_t i = 1; i <= claim.permits; ++i) {
        place.leases.push_back(batch.op_path(i));
      }
      leave_line(place);
      return {};
    }
    if (batch.op_code(0) == ZNONODE) return Errc::not_held;
    if (batch[all].code != ZNONODE)
      return failure_of(batch[all].code, "create " + name);
    auto made = backend().make_parents(name, until);
    if (!made) return made;
  }
}

void SemaphoreResource::leave_line(Place& place) {
  place.node.clear();
  place.own.reset();
  place.ahead.reset();
  place.stock.reset();
}

// Whether the leases whose answer was lost had been made.
Result<bool> SemaphoreResource::recover(Place& place, Deadline until) {
  auto handle = backend().link().handle(until);
  if (!handle) return std::move(handle).error();
  if ((*handle)->id() != place.session) return false;
  Batch batch(*handle);
  const auto listed = batch.children(leases_);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  place.taking = false;
  const std::string mine = protection(place.id);
  place.leases.clear();
  for (const std::string& each : batch[listed].names) {
    if (each.starts_with(mine)) place.leases.push_back(leases_ + "/" + each);
  }
  if (place.leases.empty()) return false;
  Batch look(*std::move(handle));
  const auto seen = look.exists(place.leases.front());
  if (auto done = look.wait(until); !done) {
    place.taking = true;
    return std::move(done).error();
  }
  place.token = static_cast<std::uint64_t>(look[seen].stat.czxid);
  leave_line(place);
  return true;
}

Result<Granted> SemaphoreResource::amend(const Claim& held, const Claim& wanted,
                                         Deadline until) {
  const auto asked = Clock::now();
  const auto found = held_place(held, until);
  if (!found) return found.error();
  Place& place = **found;
  if (wanted.permits > place.leases.size()) {
    return Failure(Errc::unsupported, "a claim can be made smaller, not larger");
  }
  auto handle = backend().link().handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*std::move(handle));
  for (std::size_t i = 0; i < place.leases.size(); ++i) {
    if (i >= wanted.permits) {
      batch.remove(place.leases[i]);
    } else if (!wanted.payload.empty()) {
      batch.set(place.leases[i], wanted.payload, kAnyVersion);
    } else {
      batch.exists(place.leases[i]);
    }
  }
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  for (std::size_t i = 0; i < wanted.permits; ++i) {
    if (batch[i].code == ZNONODE) return Errc::not_held;
    if (!batch[i].ok()) return failure_of(batch[i].code, "change " + place.leases[i]);
  }
  place.leases.resize(wanted.permits);
  places().publish(held.ticket, place);
  return granted(wanted, place, asked);
}

Result<engine::Value> SemaphoreResource::load(Deadline until) {
  return permits_.load(until, [this](Batch& batch) { arm(batch); });
}

Result<engine::Value> SemaphoreResource::add(std::int64_t by, engine::Ticket ticket,
                                             Deadline until) {
  return permits_.add(by, ticket, until);
}

Result<engine::Exchanged> SemaphoreResource::exchange(const engine::Value& from,
                                                      std::optional<std::int64_t> to,
                                                      engine::Ticket ticket,
                                                      Deadline until) {
  return permits_.exchange(from, to, ticket, until);
}

// Those who have permits, each once, then those who wait.
Result<std::vector<Entry>> SemaphoreResource::survey(std::size_t limit,
                                                     Deadline until) {
  auto handle = backend().link().handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*std::move(handle));
  arm(batch);
  const auto taken = batch.children(leases_);
  const auto line = batch.children(queue_.directory());
  if (auto done = batch.wait(until); !done) {
    return Failure(Errc::unavailable, done.error().context);
  }
  std::vector<std::string> holders;
  std::map<std::string, std::uint32_t, std::less<>> permits;
  std::vector<std::string> leases = batch[taken].names;
  put_in_order(leases);
  for (std::string& each : leases) {
    const std::string who(protection_of(each));
    if (!who.empty() && permits[who]++ > 0) continue;
    holders.push_back(std::move(each));
  }
  auto entries = read_entries(backend(), leases_, holders, limit, 0, until);
  if (!entries) return entries;
  for (Entry& each : *entries) {
    each.granted = true;
    const auto found = permits.find(protection_of(each.owner));
    if (found != permits.end()) each.permits = found->second;
  }
  if (entries->size() >= limit) return entries;
  std::vector<std::string> waiting = batch[line].names;
  put_in_order(waiting);
  std::erase_if(waiting, [&](const std::string& each) {
    return permits.contains(protection_of(each));
  });
  const auto more = read_entries(backend(), queue_.directory(), waiting,
                                 limit - entries->size(), 0, until);
  if (!more) return more;
  entries->insert(entries->end(), more->begin(), more->end());
  return entries;
}

}  // namespace holdfast::zookeeper

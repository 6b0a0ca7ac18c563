#include "engines/mysql/lock.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "engines/mysql/sql.h"

namespace holdfast::mysql {

using engine::Claim;
using engine::Deadline;
using engine::Verdict;
using namespace std::chrono_literals;

namespace {

constexpr auto kAMoment = 20ms;

}  // namespace

void LockResource::Taking::add_to(Args& args, std::uint64_t more) const {
  args << tokens - 1 << std::string_view(owner) << std::int64_t{lease.count()} << holder
       << epoch + more << id << epoch;
}

Result<void> LockResource::prepare(Place& place, const Claim& claim, Deadline until) {
  Taking& taking = place.taking;
  if (taking.owner.empty()) {
    taking.owner = backend().owner_of(claim.ticket);
    taking.holder = Holder::of_this_thread(payload_of(claim));
    taking.tokens = std::max(claim.tokens, 1U);
    taking.epoch = row().epoch();
  }
  taking.lease = backend().lease_of(claim);
  const auto id = row().need(until);
  if (!id) return id.error();
  taking.id = *id;
  return {};
}

Result<Verdict> LockResource::attempt(const Claim& claim, const engine::Waker& waker,
                                      Deadline until) {
  const auto asked = Clock::now();
  const auto place = claims_.find_or_add(claim.ticket);
  for (;;) {
    if (place->wait != nullptr) hear(*place);
    if (place->granted) {
      (void)hide(*place, until);
      claims_.publish(claim.ticket,
                      std::make_shared<const Held>(
                          Held{place->taking.id, place->taking.owner, place->bell}));
      return Verdict(granted(*place, claim, asked));
    }
    if (auto ready = prepare(*place, claim, until); !ready) {
      if (!place->doubtful) claims_.erase(claim.ticket);
      return std::move(ready).error();
    }
    const auto standing = try_to_take(*place, waker != nullptr, until);
    if (!standing) return standing.error();
    if (place->granted) continue;
    if (standing->again) {
      if (Clock::now() < until) continue;
      return base::changed_by_others(base::in_quotes(row().name()));
    }
    if (waker == nullptr) {
      if (auto left = give_up(*place, until); !left) return std::move(left).error();
      claims_.erase(claim.ticket);
      return Verdict(engine::Blocked{1s});
    }
    const auto armed = arm(*place, waker, until);
    if (!armed.has_value()) return armed.error();
    if (!*armed) continue;
    if (auto shown = show(*place, until); !shown) return std::move(shown).error();
    return Verdict(engine::Blocked{pause(*place, *standing)});
  }
}

// Who can wait listens first, and looks only if that lasts. A row whose owner's time is
// over, or that stays free although whoever is rung does not come, or that is wanted
// now or never, is taken in a new epoch.
Result<LockResource::Standing> LockResource::try_to_take(Place& place, bool can_wait,
                                                         Deadline until) {
  const bool patient = place.wait != nullptr || place.deaf;
  if (!patient) {
    const auto taken = take(place, 0, until);
    if (!taken.has_value()) return taken.error();
    if (*taken) return Standing{};
    const bool first = place.looks == 0 && place.bell == nullptr && !place.doubtful;
    if (can_wait && first) return Standing{};
  }
  auto standing = look(place, until);
  if (!standing || place.granted || standing->again) return standing;
  if (place.wait != nullptr && standing->is_free()) {  // its listener is about to know
    place.wait->linger(std::min(until, Clock::now() + kAMoment));
    hear(place);
    if (place.granted || place.wait == nullptr) return Standing{.again = true};
  }
  const bool nobody_comes = !can_wait || (patient && place.free_before);
  place.free_before = standing->is_free();
  if (standing->is_abandoned() || (standing->is_free() && nobody_comes)) {
    if (auto stopped = stop_waiting(place, until); !stopped) {
      return std::move(stopped).error();
    }
    if (place.granted) return standing;
    const auto taken = take(place, 1, until);
    if (!taken.has_value()) return taken.error();
    standing->again = !*taken;
  }
  return standing;
}

Result<bool> LockResource::take(Place& place, std::uint64_t more, Deadline until) {
  if (more > 0) unring(place, until);
  if (place.bell != nullptr && place.bell->is_cut()) place.bell.reset();
  auto connection = place.bell != nullptr ? backend().pool().lend(place.bell, until)
                                          : backend().pool().lend(until);
  if (!connection) return std::move(connection).error();
  const bool with_bell = backend().has_bells() && place.bell == nullptr;
  const std::string bell = bell_of(place.taking, more);
  Args args;
  place.taking.add_to(args, more);
  if (with_bell) args << std::string_view(bell);
  const auto asked = Clock::now();
  auto answer =
      (*connection)->run(with_bell ? sql::kTake : sql::kTakeSilently, args, until);
  if (!answer) {
    if (answer.error().code == Errc::outcome_unknown) place.doubtful = true;
    return std::move(answer).error();
  }
  if (answer->matched == 0) return false;
  place.granted = true;
  place.token = {answer->id};
  place.asked = asked;
  place.taking.epoch += more;
  row().remember_epoch(place.taking.epoch);
  if (with_bell) {
    place.bell = connection->share();
    ++place.bell->bells;
  }
  return true;
}

Result<LockResource::Standing> LockResource::look(Place& place, Deadline until) {
  Args args;
  args << place.taking.id;
  const auto asked = Clock::now();
  auto answer = backend().run(sql::kLook, args, until);
  if (!answer) return Failure(Errc::unavailable, answer.error().context);
  if (answer->rows.empty() ||
      answer->rows.front()[3].number != number_of(row().kind())) {
    row().forget();
    return Standing{.again = true};
  }
  const Row& found = answer->rows.front();
  const std::uint64_t epoch = found[4].count();
  Standing standing{
      .again = false, .owned = found[5].number != 0, .left = found[1].span()};
  if (found[0].text == place.taking.owner && !standing.is_free()) {
    place.granted = true;  // an answer that was lost said so
    place.token = {found[2].count()};
    place.asked = asked - std::max(place.taking.lease - standing.left, 0us);
    place.taking.epoch = epoch;
    return standing;
  }
  if (epoch != place.taking.epoch) {
    unring(place, until);
    if (auto stopped = stop_waiting(place, until); !stopped) {
      return std::move(stopped).error();
    }
    if (place.granted) return standing;
    place.taking.epoch = epoch;
    row().remember_epoch(epoch);
    standing.again = standing.is_free();
  }
  return standing;
}

engine::Granted LockResource::granted(const Place& place, const Claim& claim,
                                      Clock::time_point asked) const {
  const auto spent = std::max<Clock::duration>(asked - place.asked, 0ns);
  return {.token = place.token,
          .tokens = place.taking.tokens,
          .lease = std::max<engine::Lease>(backend().lease_of(claim) - spent, 0ns)};
}

}  // namespace holdfast::mysql

// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/resource.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "base/pause.h"
#include "engines/redis/errors.h"
#include "engines/redis/listing.h"
#include "engines/redis/sent_script.h"

namespace holdfast::redis {
namespace {

using engine::Blocked;
using engine::Claim;
using engine::Granted;
using engine::Verdict;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kLongestPause = QueueKeepAlive::kLongestPause;
// A waiter at rest is rung when it has to ask. It asks after this time all the same.
constexpr std::chrono::minutes kRestPause = 10min;
// This is the pause while the subscription is not confirmed.
constexpr std::chrono::milliseconds kUnsubscribedPause = 1s;
// This is the pause where peers do not publish their releases.
constexpr std::chrono::milliseconds kPollPause = 100ms;
constexpr std::chrono::milliseconds kEntryLives = QueueKeepAlive::kEntryLives;
constexpr std::chrono::milliseconds kTombstoneLives = Backend::kLatestArrival;

// These are the first elements of the scripts' answers.
constexpr std::int64_t kGranted = 1;
constexpr std::int64_t kBlocked = 0;
constexpr std::int64_t kGone = -1;
constexpr std::int64_t kTooMany = -2;
constexpr std::int64_t kCannot = -3;
constexpr std::int64_t kTooFarAhead = -4;
constexpr std::int64_t kBehind = -5;

bool is_lost(const Failure& why) noexcept { return why.code == Errc::outcome_unknown; }

FencingToken read_token(ReplyView reply) noexcept {
  return {static_cast<std::uint64_t>(reply.number())};
}

// The capacity is there after an attempt at a semaphore; what is not there is zero.
Granted read_grant(ReplyView reply, engine::LeaseTime lease) noexcept {
  const auto capacity = std::clamp<std::int64_t>(reply[3].number(), 0, UINT32_MAX);
  return {.token = read_token(reply[1]),
          .tokens = static_cast<std::uint32_t>(reply[2].number()),
          .lease = lease,
          .capacity = static_cast<std::uint32_t>(capacity)};
}

// Adds the number of tokens that a claim wants and, if it names it, the first of them.
void add_tokens(Invocation& call, const Claim& claim) {
  if (claim.token.value != 0) {
    call.arg(Digits(claim.tokens), "@", Digits(claim.token.value));
  } else {
    call.arg(claim.tokens);
  }
}

// Scripts that hand over end a blocked answer with the server's time and with whether a
// peer holds the lock.
std::optional<ServerTime> server_time(ReplyView blocked,
                                      Clock::time_point sent) noexcept {
  const auto time = blocked[3].number();
  if (time == 0) return std::nullopt;
  return ServerTime{sent, std::chrono::microseconds(time)};
}

Failure too_many(std::string_view name, std::uint32_t wanted, std::uint32_t most) {
  return {Errc::bad_argument,
          std::to_string(wanted) + " permits of \"" + std::string(name) +
              "\" were asked for at once, and Redis keeps each of them by itself: ask "
              "for at most " +
              std::to_string(most) + ", or let a permit stand for more"};
}

}  // namespace

RedisResource::RedisResource(std::shared_ptr<Backend> backend,
                             const engine::Address& address, Slot slot)
    : backend_(std::move(backend)),
      name_(std::make_unique<char[]>(address.name.size())),
      name_size_(static_cast<std::uint16_t>(address.name.size())),
      slot_(slot),
      kind_(address.kind) {
  address.name.copy(name_.get(), name_size_);
}

const Layout& RedisResource::layout() const noexcept { return backend_->layout(kind_); }

Slot RedisResource::slot() const noexcept { return slot_; }

std::string_view RedisResource::name() const noexcept {
  return {name_.get(), name_size_};
}

KeyNames RedisResource::key_names() const noexcept {
  return {layout().prefixes, name()};
}

Registers RedisResource::number() noexcept {
  return {*backend_, layout(), name(), slot_};
}

Invocation RedisResource::call(const Verb& verb, std::string_view owner) const {
  Invocation call(*verb.script);
  const KeyNames names = key_names();
  for (const Part part : verb.keys) names.add_key(call, part, owner);
  // Such a call is not run while the slot is on its way to another server.
  if (backend_->options().is_cluster()) names.add_key(call, Part::no_key, {});
  return call;
}

void RedisResource::add_args(Invocation& call, const Verb& verb,
                             const engine::Claim& claim) const {
  backend_->add_args(call, verb, key_names(), slot_, claim);
}

Result<Reply> RedisResource::run(const Invocation& call, engine::Deadline until) {
  auto reply = backend_->run(slot_, call, until);
  if (!reply) return explain_wrong_kind(std::move(reply).error(), name());
  return reply;
}

void RedisResource::add_details(Invocation& call, const engine::Claim& claim) const {
  call.arg(Digits(claim.permits), claim.mode == engine::Mode::shared ? "|r|" : "|w|",
           claim.payload.empty() ? backend_->payload() : claim.payload);
}

engine::LeaseTime RedisResource::lease_of(const engine::Claim& claim) const noexcept {
  if (!layout().traits.leased) return engine::kNoLease;
  return std::chrono::milliseconds(backend_->lease_ms(claim.lease));
}

void RedisResource::add_renewal(Invocation& batch, const engine::Claim& claim) const {
  const OwnerName owner = backend_->owner(claim.ticket);
  const KeyNames names = key_names();
  for (const Part part : layout().renew.keys) names.add_key(batch, part, owner);
}

std::string RedisResource::renewal_key(Part part, const engine::Claim& claim) const {
  return key_names().text(part, backend_->owner(claim.ticket));
}

// A peer publishes its releases on the lock's channel. Our own releases reach a waiter
// on its session's channel, where they are handed over.
bool RedisResource::needs_channel() const noexcept {
  if (!layout().hands_over) return true;
  return layout().peers_publish &&
         contention_.load(std::memory_order_relaxed) == Contention::foreign;
}

std::string RedisResource::channel_of(const Claim& claim) const {
  std::string text = key_names().text(Part::channel);
  if (layout().own_channel) text.append(":").append(backend_->owner(claim.ticket));
  return text;
}

// Returns the waiter that the claim has, or a new one if it hears messages at once.
std::shared_ptr<Waiter> RedisResource::known_waiter(const Claim& claim,
                                                    const engine::Waker& waker,
                                                    engine::Deadline until) {
  if (contention_.load(std::memory_order_relaxed) == Contention::none) return nullptr;
  Waiters& waiters = backend_->waiters();
  if (auto known = waiters.find(slot_, claim.ticket)) return known;
  const auto channel = needs_channel() ? channel_of(claim) : std::string();
  return waiters.is_subscribed(slot_, channel) ? listen(claim, waker, until) : nullptr;
}

std::shared_ptr<Waiter> RedisResource::listen(const Claim& claim,
                                              const engine::Waker& waker,
                                              engine::Deadline until) {
  Waiters& waiters = backend_->waiters();
  auto waiter = waiters.find(slot_, claim.ticket);
  if (waiter == nullptr) waiter = waiters.add(slot_, claim.ticket, waker, until);
  if (needs_channel()) {
    waiters.add_channel(waiter, channel_of(claim), layout().own_channel, until);
  }
  return waiter;
}

// A grant that was handed over is short until it is renewed, and no replica has
// confirmed it. A claim with the session's lease is renewed; any other claim has to ask
// for the rest.
std::optional<Granted> RedisResource::take_grant(const Claim& claim,
                                                 Waiter& waiter) const noexcept {
  if (claim.lease.count() != 0 || backend_->options().acks.wanted())
    return std::nullopt;
  return waiter.take_grant();
}

std::optional<Failure> RedisResource::refusal_of(const Claim& claim) const {
  if (layout().attempt.script == nullptr) return Failure(Errc::unsupported);
  const auto most = layout().most_permits;
  if (most == 0 || claim.permits <= most) return std::nullopt;
  return too_many(name(), claim.permits, most);
}

// A waiter is only told of changes that happen after the server has confirmed its
// subscription. An attempt that is blocked therefore subscribes and attempts once more.
Result<Verdict> RedisResource::attempt(const Claim& claim, const engine::Waker& waker,
                                       engine::Deadline until) {
  if (auto why = refusal_of(claim)) return *std::move(why);
  // A posted attempt was blocked, and has left it to this call to listen.
  const bool known_blocked =
      backend_->posted().forget(claim.ticket) == PostedCalls::State::answered;
  auto waiter = waker != nullptr ? known_waiter(claim, waker, until) : nullptr;
  if (waiter != nullptr) {
    if (const auto granted = take_grant(claim, *waiter)) {
      backend_->waiters().remove(slot_, claim.ticket);
      return Verdict(*granted);
    }
  }
  auto verdict = known_blocked ? Verdict(Blocked{}) : ask(claim, waiter.get(), until);
  const bool blocked = verdict && std::holds_alternative<Blocked>(*verdict);
  if (known_blocked ||
      (blocked && waker != nullptr && lacks_subscription(waiter.get()))) {
    waiter = listen(claim, waker, until);
    verdict = ask(claim, waiter.get(), until);
  }
  if (waiter != nullptr && verdict) adjust_wait(*verdict, claim, waiter);
  return verdict;
}

bool RedisResource::lacks_subscription(const Waiter* waiter) const noexcept {
  return waiter == nullptr || (waiter->channel().empty() && needs_channel());
}

void RedisResource::adjust_wait(Verdict& verdict, const Claim& claim,
                                const std::shared_ptr<Waiter>& waiter) {
  if (auto* const wait = std::get_if<Blocked>(&verdict)) {
    wait->retry_after = schedule_keepalive(claim, waiter, wait->retry_after);
  } else {
    backend_->waiters().remove(slot_, claim.ticket);
  }
}

// Whatever is out of the ordinary is left to `attempt`: confirmations of replicas, a
// script that the server does not know, a slot that is elsewhere, a subscription that
// has to be confirmed first.
engine::Posted<Verdict> RedisResource::post_attempt(const Claim& claim,
                                                    const engine::Waker& waker,
                                                    const engine::Waker& answered,
                                                    engine::Deadline until) {
  constexpr auto kVerb = PostedCalls::Verb::attempt;
  const auto state = backend_->posted().look(claim.ticket, kVerb);
  if (state == PostedCalls::State::under_way) return {.under_way = true};
  if (state == PostedCalls::State::answered) return posted_verdict(claim, waker, until);
  if (refusal_of(claim) || backend_->options().acks.wanted()) return {};
  constexpr auto kAtOnce = engine::Deadline::min();
  const auto waiter = waker != nullptr ? known_waiter(claim, waker, kAtOnce) : nullptr;
  if (waiter != nullptr) {
    (void)waiter->take_ring();
    if (const auto granted = take_grant(claim, *waiter)) {
      backend_->waiters().remove(slot_, claim.ticket);
      return {.answer = Verdict(*granted)};
    }
  }
  return {.under_way = backend_->post(slot_, attempt_call(claim, waiter.get()),
                                      claim.ticket, kVerb, answered, until)};
}

engine::Posted<Verdict> RedisResource::posted_verdict(const Claim& claim,
                                                      const engine::Waker& waker,
                                                      engine::Deadline until) {
  PostedCalls& posted = backend_->posted();
  const auto answer = posted.answer(claim.ticket);
  if (answer.why || answer.reply.view().is_error()) {
    auto why = posted_failure(claim, until);
    if (!why) return {};
    if (is_lost(*why)) backend_->put_in_doubt(claim.ticket);
    return {.answer = *std::move(why)};
  }
  const bool may_wait = contention_.load(std::memory_order_relaxed) != Contention::none;
  const auto waiter = waker != nullptr && may_wait
                          ? backend_->waiters().find(slot_, claim.ticket)
                          : nullptr;
  auto verdict = read_verdict(claim, answer.reply.view(), waiter.get(), answer.sent);
  const bool blocked = verdict && std::holds_alternative<Blocked>(*verdict);
  if (blocked && waker != nullptr && lacks_subscription(waiter.get())) return {};
  posted.forget(claim.ticket);
  if (waiter != nullptr && verdict) adjust_wait(*verdict, claim, waiter);
  // The ring may have come before the answer's, and woken nothing.
  if (blocked && waiter != nullptr && waiter->take_ring()) verdict = Verdict(Blocked{});
  return {.answer = std::move(verdict)};
}

// Takes an answer that is no good. Returns nothing if the call was not carried out and
// the form that waits may still do it: it tries other connections, too.
std::optional<Failure> RedisResource::posted_failure(const Claim& claim,
                                                     engine::Deadline until) {
  PostedCalls& posted = backend_->posted();
  auto why = posted.answer(claim.ticket).why;
  posted.forget(claim.ticket);
  if (!why || (!is_lost(*why) && Clock::now() < until)) return std::nullopt;
  return explain_wrong_kind(*std::move(why), name());
}

// A claim with a `waiter` keeps an entry in the queue; without one, the attempt is
// either granted now or leaves nothing behind.
Invocation RedisResource::attempt_call(const Claim& claim, const Waiter* waiter) const {
  const OwnerName owner = backend_->owner(claim.ticket);
  Invocation call = this->call(layout().attempt, owner);
  call.arg(owner).arg(backend_->lease_ms(claim.lease));
  add_tokens(call, claim);
  add_details(call, claim);
  call.arg(backend_->options().token_ttl.count())
      .arg(waiter != nullptr ? kEntryLives.count() : 0)
      .arg(waiter != nullptr ? waiter->arrival() : 0);
  add_args(call, layout().attempt, claim);
  return call;
}

Result<Verdict> RedisResource::ask(const Claim& claim, Waiter* waiter,
                                   engine::Deadline until) {
  const Invocation call = attempt_call(claim, waiter);
  const auto sent = waiter != nullptr ? Clock::now() : Clock::time_point{};
  const std::int64_t wanted = backend_->acks(slot_);
  std::int64_t acks = wanted;
  auto reply =
      acks > 0 ? backend_->run_acked(slot_, call, acks, until) : run(call, until);
  auto verdict = read_attempt(claim, std::move(reply), waiter, sent);
  const bool granted = verdict && std::holds_alternative<Granted>(*verdict);
  // The claim stays in place, so that the next attempt with this ticket is idempotent
  // and counts the replicas again. A drop sent from here could arrive late and end the
  // grant of that next attempt.
  if (granted && acks < wanted) {
    return Failure(Errc::unavailable, "only " + std::to_string(acks) + " of the " +
                                          std::to_string(wanted) +
                                          " replicas asked for confirmed the lock of " +
                                          base::in_quotes(name()) +
                                          ": check them, or ask for fewer with ?ack=");
  }
  return verdict;
}

Result<Verdict> RedisResource::read_attempt(const Claim& claim, Result<Reply> reply,
                                            Waiter* waiter, Clock::time_point sent) {
  if (!reply) {
    if (is_lost(reply.error())) backend_->put_in_doubt(claim.ticket);
    return explain_wrong_kind(std::move(reply).error(), name());
  }
  return read_verdict(claim, reply->view(), waiter, sent);
}

// Replicas that have to confirm the lock are waited for.
std::unique_ptr<engine::SentCall<Verdict>> RedisResource::send_attempt(
    const Claim& claim) {
  if (layout().attempt.script == nullptr || layout().most_permits != 0) return nullptr;
  if (backend_->acks(slot_) > 0) return nullptr;
  return SentScript<Verdict>::send(backend_, slot_, attempt_call(claim, nullptr),
                                   [this, claim](Result<Reply> reply) {
                                     return read_attempt(claim, std::move(reply),
                                                         nullptr, {});
                                   });
}

Result<Verdict> RedisResource::read_verdict(const Claim& claim, ReplyView reply,
                                            Waiter* waiter, Clock::time_point sent) {
  switch (reply[0].number()) {
    case kGranted:
      return Verdict(read_grant(reply, lease_of(claim)));
    case kBlocked:
      contention_.store(reply[4].number() == 1 ? Contention::foreign : Contention::ours,
                        std::memory_order_relaxed);
      if (waiter != nullptr)
        waiter->blocked(server_time(reply, sent), reply[2].number());
      return Verdict(Blocked{retry_after(reply[1].number())});
    case kGone:
      return base::was_given_up(base::in_quotes(name()));
    case kTooFarAhead:
      return base::token_too_far_ahead(base::in_quotes(name()));
    case kBehind:
      return Verdict(engine::TokenBehind{read_token(reply[1])});
    case kTooMany:
      return base::too_many_permits(base::in_quotes(name()), claim.permits,
                                    reply[1].number());
    default:
      return Failure(Errc::incompatible,
                     "a script answered for " + base::in_quotes(name()) +
                         " in an unknown way: use a server and a version of it that "
                         "docs/engines/redis.md names");
  }
}

// Returns the time until the present holder's lease could end, with a little random
// time added, so that the waiters do not all attempt in the same instant.
std::chrono::nanoseconds RedisResource::retry_after(std::int64_t pttl) const {
  const auto longest = layout().peers_publish ? kLongestPause : kPollPause;
  if (pttl < 0 || pttl >= longest.count()) {
    return longest * 4 / 5 + base::random_part(longest / 5);
  }
  return std::chrono::milliseconds(pttl + 1) + base::random_part(20ms);
}

// Returns how long a waiter that was told to ask again after `pause` may sleep. One
// that has slept for a whole pause is at rest: others keep its entry, and it need not
// ask.
std::chrono::nanoseconds RedisResource::schedule_keepalive(
    const Claim& claim, const std::shared_ptr<Waiter>& waiter,
    std::chrono::nanoseconds pause) {
  if (!backend_->waiters().is_confirmed(*waiter)) {
    return std::min<std::chrono::nanoseconds>(pause, kUnsubscribedPause);
  }
  constexpr auto kWholePause = kLongestPause * 4 / 5;
  if (layout().keep.script == nullptr || pause < kWholePause) return pause;
  if (Clock::now() - waiter->since() < kWholePause) return pause;
  const bool kept = backend_->keepalive().add({.waiter = waiter,
                                               .ticket = claim.ticket,
                                               .capacity = claim.capacity,
                                               .slot = slot_,
                                               .layout = &layout(),
                                               .name = std::string(name())});
  return kept ? kRestPause / 2 + base::random_part(kRestPause / 2) : pause;
}

Result<Granted> RedisResource::amend(const Claim& held, const Claim& wanted,
                                     engine::Deadline until) {
  if (layout().amend.script == nullptr) return Errc::unsupported;
  const OwnerName owner = backend_->owner(held.ticket);
  Invocation call = this->call(layout().amend, owner);
  call.arg(owner).arg(backend_->lease_ms(wanted.lease));
  add_details(call, wanted);
  add_args(call, layout().amend, wanted);
  auto reply = run(call, until);
  if (!reply) return std::move(reply).error();
  const ReplyView answer = reply->view();
  if (answer[0].number() == kGone) return Errc::not_held;
  if (answer[0].number() == kCannot) {
    const bool writes =
        held.mode == engine::Mode::shared && wanted.mode == engine::Mode::exclusive;
    return writes ? base::reader_cannot_write(base::in_quotes(name()))
                  : base::cannot_grow(base::in_quotes(name()));
  }
  return read_grant(answer, lease_of(wanted));
}

Result<void> RedisResource::drop(const Claim& claim, engine::Deadline until) {
  if (layout().drop.script == nullptr) return Errc::unsupported;
  if (backend_->posted().forget(claim.ticket) == PostedCalls::State::under_way) {
    backend_->put_in_doubt(claim.ticket);
  }
  const bool in_doubt = backend_->is_in_doubt(claim.ticket);
  backend_->waiters().remove(slot_, claim.ticket);
  const auto owner = backend_->owner(claim.ticket);
  return read_drop(claim.ticket, in_doubt,
                   run(drop_call(owner, claim, in_doubt, false), until));
}

std::unique_ptr<engine::SentCall<void>> RedisResource::send_drop(const Claim& claim) {
  if (layout().drop.script == nullptr) return nullptr;
  const bool in_doubt = backend_->is_in_doubt(claim.ticket);
  backend_->waiters().remove(slot_, claim.ticket);
  const auto owner = backend_->owner(claim.ticket);
  return SentScript<void>::send(
      backend_, slot_, drop_call(owner, claim, in_doubt, false),
      [this, in_doubt, ticket = claim.ticket](Result<Reply> reply) -> Result<void> {
        if (!reply) return explain_wrong_kind(std::move(reply).error(), name());
        return read_drop(ticket, in_doubt, reply);
      });
}

Result<void> RedisResource::read_drop(engine::Ticket ticket, bool in_doubt,
                                      const Result<Reply>& reply) {
  if (!reply) return reply.error();
  if (in_doubt) backend_->end_doubt(ticket);
  if (reply->view().number() == 0) return Errc::not_held;
  return {};
}

Invocation RedisResource::drop_call(std::string_view owner, const Claim& claim,
                                    bool tombstone, bool evicted) const {
  Invocation call = this->call(layout().drop, owner);
  call.arg(owner).arg(tombstone ? kTombstoneLives.count() : 0).arg(evicted ? "1" : "0");
  add_args(call, layout().drop, claim);
  return call;
}

// Whatever is out of the ordinary is left to `drop`.
engine::Posted<void> RedisResource::post_drop(const Claim& claim,
                                              const engine::Waker& answered,
                                              engine::Deadline until) {
  constexpr auto kVerb = PostedCalls::Verb::drop;
  PostedCalls& posted = backend_->posted();
  const auto state = posted.look(claim.ticket, kVerb);
  if (state == PostedCalls::State::under_way) return {.under_way = true};
  if (state == PostedCalls::State::none) {
    if (layout().drop.script == nullptr || backend_->is_in_doubt(claim.ticket)) {
      return {};
    }
    backend_->waiters().remove(slot_, claim.ticket);
    const auto call = drop_call(backend_->owner(claim.ticket), claim, false, false);
    return {.under_way =
                backend_->post(slot_, call, claim.ticket, kVerb, answered, until)};
  }
  const auto answer = posted.answer(claim.ticket);
  if (answer.why || answer.reply.view().is_error()) {
    auto why = posted_failure(claim, until);
    if (!why) return {};
    return {.answer = *std::move(why)};
  }
  const bool held = answer.reply.view().number() != 0;
  posted.forget(claim.ticket);
  return {.answer = held ? Result<void>() : Errc::not_held};
}

Result<void> RedisResource::evict(std::string_view owner, engine::Deadline until) {
  if (layout().drop.script == nullptr) return Errc::unsupported;
  const bool ours = owner.find(":h") != std::string_view::npos;
  const auto dropped = run(drop_call(owner, {}, ours, true), until);
  if (!dropped) return dropped.error();
  if (dropped->view().number() == 0) return Errc::not_held;
  return {};
}

Result<engine::Watch> RedisResource::watch(const engine::Waker& waker,
                                           engine::Deadline until) {
  return watch_channel({backend_, &backend_->servers().channels()},
                       key_names().text(Part::channel), waker, until);
}

Result<std::vector<engine::Entry>> RedisResource::survey(std::size_t limit,
                                                         engine::Deadline until) {
  if (layout().survey.script == nullptr) return std::vector<engine::Entry>{};
  Invocation call = this->call(layout().survey, {});
  call.arg(limit).arg(key_names().record_prefix());
  add_args(call, layout().survey, {});
  const auto reply = run(call, until);
  if (!reply) return reply.error();
  return read_entries(reply->view());
}

}  // namespace holdfast::redis

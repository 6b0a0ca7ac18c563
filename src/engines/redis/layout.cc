// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/layout.h"

namespace holdfast::redis {
namespace {

using engine::Kind;
using engine::Traits;
using enum Part;
namespace s = scripts;

// Redis can lose a write that it confirmed when a server fails, so no kind here has the
// trait `survives`.
constexpr Traits kLock{
    .supported = true, .fences = true, .notifies = true, .grants_named_tokens = true};
constexpr Traits kOrdered{.supported = true,
                          .fences = true,
                          .orders = true,
                          .notifies = true,
                          .process_queue = false};
constexpr Traits kRegister{
    .supported = true, .notifies = true, .leased = false, .process_queue = false};

constexpr Traits with_versions(Traits traits) {
  traits.versions = true;
  return traits;
}

constexpr KeyPrefixes kLockPrefixes{.lock = "", .channel = "redisson_lock__channel"};
constexpr KeyPrefixes kSemaphorePrefixes{.lock = "", .channel = "redisson_sc"};

constexpr Layout kMutex{
    .prefixes = kLockPrefixes,
    .attempt = {&s::lock_attempt, {lock, record, queue, token}},
    .drop = {&s::lock_drop,
             {lock, record, queue, fair_queue, token},
             {Arg::token_ttl, Arg::channels}},
    .amend = {&s::lock_amend, {lock, record}},
    .renew = {&s::lock_renew, {lock, record}},
    .keep = {&s::lock_keep, {lock, record, queue}},
    .survey = {&s::lock_survey, {lock, queue, fair_queue}},
    .traits = kLock,
    .hands_over = true,
};

constexpr Layout kString{
    .prefixes = {.lock = "", .channel = "holdfast_string_channel"},
    .attempt = {&s::string_attempt, {lock, record, queue, token}},
    .drop = {&s::string_drop,
             {lock, record, queue, fair_queue, token},
             {Arg::token_ttl, Arg::channels}},
    .amend = {&s::string_amend, {lock, record}},
    .renew = {&s::string_renew, {lock, record}},
    .survey = {&s::string_survey, {lock, queue, fair_queue}},
    .traits = {.supported = true, .fences = true, .grants_named_tokens = true},
    .hands_over = true,
    .peers_publish = false,
};

constexpr Layout kElection{
    .prefixes = {.lock = "holdfast_election",
                 .channel = "holdfast_election_channel",
                 .token = "holdfast_election_token",
                 .queue = "holdfast_election_queue",
                 .record = "holdfast_candidate"},
    .attempt = {&s::lock_attempt, {lock, record, queue, token}, {Arg::channels}},
    .drop = kMutex.drop,
    .amend = {&s::lock_amend, {lock, record}, {Arg::channels}},
    .renew = kMutex.renew,
    .keep = kMutex.keep,
    .survey = kMutex.survey,
    .traits = kLock,
    .hands_over = true,
};

constexpr Layout kFair{
    .prefixes = kLockPrefixes,
    .attempt = {&s::fair_attempt,
                {lock, record, queue, token, fair_queue, fair_timeouts},
                {Arg::fair_wait, Arg::channels}},
    .drop = {&s::fair_drop,
             {lock, record, queue, token, fair_queue, fair_timeouts},
             {Arg::token_ttl, Arg::fair_wait, Arg::channels}},
    .amend = kMutex.amend,
    .renew = kMutex.renew,
    .keep = {&s::fair_keep,
             {lock, record, fair_queue, fair_timeouts},
             {Arg::fair_wait}},
    .survey = kMutex.survey,
    .traits = kOrdered,
    .own_channel = true,
    .hands_over = true,
};

constexpr Layout kShared{
    .prefixes = {.lock = "", .channel = "redisson_rwlock"},
    .attempt = {&s::shared_attempt,
                {lock, record, queue, token, reader_timeout},
                {Arg::mode, Arg::record_prefix, Arg::channels}},
    .drop = {&s::shared_drop,
             {lock, record, queue, reader_timeout},
             {Arg::record_prefix, Arg::timeout_prefix, Arg::channels}},
    .amend = {&s::shared_amend,
              {lock, record, queue, reader_timeout},
              {Arg::mode, Arg::record_prefix, Arg::channels}},
    .renew = {&s::shared_renew, {lock, record, reader_timeout}},
    .keep = {&s::shared_keep, {lock, record, queue}, {Arg::channels}},
    .survey = {&s::shared_survey, {lock, queue}, {Arg::timeout_prefix}},
    .traits = {.supported = true,
               .fences = true,
               .orders = true,
               .notifies = true,
               .downgrades = true,
               .process_queue = false,
               .grants_named_tokens = true},
};

constexpr Layout kSemaphore{
    .prefixes = kSemaphorePrefixes,
    .attempt = {&s::permits_attempt,
                {lock, record, queue, permit_timeouts, holders},
                {Arg::permits, Arg::capacity, Arg::record_prefix, Arg::channels}},
    .drop = {&s::permits_drop,
             {lock, record, queue, permit_timeouts, holders},
             {Arg::record_prefix, Arg::permits, Arg::channels}},
    .amend = {&s::permits_amend,
              {lock, record, queue, permit_timeouts},
              {Arg::permits, Arg::record_prefix, Arg::channels}},
    .renew = {&s::permits_renew, {permit_timeouts, record}},
    .keep = {&s::permits_keep, {lock, record, queue, permit_timeouts}, {Arg::channels}},
    .survey = {&s::permits_survey, {queue, permit_timeouts, holders}},
    .register_format = RegisterFormat::capacity,
    .traits = {.supported = true,
               .orders = true,
               .notifies = true,
               .process_queue = false},
    .most_permits = 10'000,  // Each permit is a member of a set, and a large set keeps
                             // the server busy.
};

constexpr Layout kPlainSemaphore{
    .prefixes = kSemaphorePrefixes,
    .attempt = {&s::plain_attempt, kSemaphore.attempt.keys, kSemaphore.attempt.args},
    .drop = {&s::plain_drop, kSemaphore.drop.keys, kSemaphore.drop.args},
    .amend = {&s::plain_amend, kSemaphore.amend.keys, kSemaphore.amend.args},
    .keep = {&s::plain_keep, {lock, record, queue}, {Arg::channels}},
    .survey = {&s::plain_survey, kSemaphore.survey.keys},
    .register_format = RegisterFormat::capacity,
    .traits = {.supported = true,
               .orders = true,
               .notifies = true,
               .leased = false,
               .process_queue = false},
};

constexpr Layout kDoubleBarrier{
    .prefixes = {.lock = "holdfast_double_barrier",
                 .channel = "holdfast_double_barrier_channel",
                 .token = "holdfast_double_barrier_ready",  // the register
                 .record = "holdfast_party"},
    .attempt = {&s::barrier_attempt,
                {lock, record},
                {Arg::capacity, Arg::record_prefix, Arg::channels}},
    .drop = {&s::barrier_drop, {lock, record}, {Arg::channels}},
    .amend = {&s::barrier_amend, {lock, record}},
    .renew = {&s::barrier_renew, {lock, record}},
    .keep = {&s::barrier_keep, {lock, record}, {Arg::capacity}},
    .survey = {&s::barrier_survey, {lock}},
    .register_format = RegisterFormat::own,
    .traits = {.supported = true,
               .orders = true,
               .notifies = true,
               .versions = true,
               .process_queue = false},
};

constexpr Layout kLatch{
    .prefixes = {.lock = "", .channel = "redisson_countdownlatch__channel__"},
    .register_format = RegisterFormat::latch,
    .traits = kRegister,
};

constexpr Layout kCounter{
    .prefixes = {.lock = "", .channel = "holdfast_changed"},
    .register_format = RegisterFormat::number,
    .traits = kRegister,
};

constexpr Layout kBarrier{
    .prefixes = {.lock = "holdfast_barrier", .channel = "holdfast_barrier_channel"},
    .register_format = RegisterFormat::own,
    .traits = with_versions(kRegister),
};

constexpr Layout kSharedCount{
    .prefixes = {.lock = "holdfast_shared_count",
                 .channel = "holdfast_shared_count_channel"},
    .register_format = RegisterFormat::own,
    .traits = with_versions(kRegister),
};

const Layout& layout_of(Kind kind, const Options& options) noexcept {
  switch (kind) {
    case Kind::mutex:
      return options.layout == LockLayout::string ? kString : kMutex;
    case Kind::fair_mutex:
      return kFair;
    case Kind::shared_mutex:
      return kShared;
    case Kind::semaphore:
      return options.semaphore == SemaphoreLayout::plain ? kPlainSemaphore : kSemaphore;
    case Kind::election:
      return kElection;
    case Kind::double_barrier:
      return kDoubleBarrier;
    case Kind::latch:
      return kLatch;
    case Kind::barrier:
      return kBarrier;
    case Kind::counter:
      return kCounter;
    case Kind::shared_count:
      break;
  }
  return kSharedCount;
}

}  // namespace

Layouts::Layouts(const Options& options) noexcept {
  for (std::size_t kind = 0; kind < layouts_.size(); ++kind) {
    layouts_[kind] = &layout_of(static_cast<Kind>(kind), options);
  }
}

}  // namespace holdfast::redis

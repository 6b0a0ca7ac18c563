// SPDX-License-Identifier: Apache-2.0

#include "core/client_state.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/common_failures.h"
#include "base/identity.h"
#include "base/ids.h"
#include "base/kind.h"
#include "base/log.h"
#include "base/transient.h"
#include "core/gate.h"
#include "core/open_session.h"
#include "core/runner.h"
#include "holdfast/names.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kLongestCall = 5s;
constexpr std::chrono::milliseconds kLongestRetryBase = 1h;
constexpr auto kLongestTtl = 24h * 365 * 100;  // more would not fit into nanoseconds

// How long closing may wait for an engine that does not answer. In the last part of it
// the drops are sent and not awaited, which takes some time for each of them if there
// is no connection.
constexpr std::chrono::nanoseconds kCloseTimeout = 2s;
constexpr std::chrono::nanoseconds kSendOnlyTime = 250ms;

// Only these kinds get a gate: where several claims of one process can be granted at
// once, none of them has to wait for another.
bool lets_one_in(engine::Kind kind) noexcept {
  using engine::Kind;
  return kind == Kind::mutex || kind == Kind::fair_mutex || kind == Kind::election;
}

std::uint64_t next_client_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Returns an empty text for a server without properties: its address alone is what the
// program passed in.
std::string spell(const engine::ServerDescription& server) {
  std::string text;
  for (const auto& [name, value] : server.properties) {
    text += (text.empty() ? server.server + ": " : "; ") + name + " " + value;
  }
  return text;
}

}  // namespace

Result<std::shared_ptr<ClientState>> ClientState::open(
    std::unique_ptr<engine::Engine> engine, ClientOptions options) {
  if (options.ttl < 1ms) {
    return Failure(Errc::bad_argument, "the ttl of a client must be at least 1 ms");
  }
  options.ttl = std::min<std::chrono::milliseconds>(options.ttl, kLongestTtl);
  if (options.retry.base < 1ms || options.retry.base > kLongestRetryBase ||
      options.retry.times.value_or(0) < 0) {
    return Failure(Errc::bad_argument,
                   "retry_base must be from 1 ms to 1 h, and retry_times must not be "
                   "negative");
  }
  base::watch_forks();
  // The token is made now, because a fork() while it is being made would leave it half
  // done in the child.
  (void)already_lost();
  if (options.payload.empty()) options.payload = base::process_identity();
  if (!options.log) {
    base::check_log_environment();
    options.log = base::log_to_stderr;
  }

  try {
    return open_session(std::move(engine), std::move(options));
  } catch (const std::exception& error) {  // no memory, or no thread for the session
    return base::out_of_resources(error, "open a client");
  }
}

Result<std::shared_ptr<ClientState>> ClientState::open_session(
    std::unique_ptr<engine::Engine> engine, ClientOptions options) {
  const auto alarm = std::make_shared<AlarmSignal>();
  auto session = core::open_session(*engine, {.ttl = options.ttl,
                                              .client = base::random_uuid(),
                                              .payload = options.payload,
                                              .retry = options.retry,
                                              .alarm = alarm});
  if (!session) return std::move(session).error();
  for (const engine::ServerDescription& server : (*session)->servers()) {
    const std::string line = spell(server);
    if (line.empty()) continue;
    options.log(LogLevel::info, std::string(engine->scheme()) + ": " + line);
  }
  for (const std::string& warning : (*session)->warnings()) {
    options.log(LogLevel::warning, std::string(engine->scheme()) + ": " + warning);
  }
  return std::shared_ptr<ClientState>(
      new ClientState(std::move(engine), *std::move(session), alarm,
                      std::move(options)),
      [](ClientState* state) {
        if (!state->forked()) delete state;
      });
}

ClientState::ClientState(std::unique_ptr<engine::Engine> engine,
                         std::unique_ptr<engine::Session> session,
                         std::shared_ptr<AlarmSignal> alarm, ClientOptions options)
    : epoch_(base::fork_epoch()),
      id_(next_client_id()),
      options_(std::move(options)),
      call_time_(
          std::clamp<std::chrono::nanoseconds>(options_.ttl / 3, 1ms, kLongestCall)),
      engine_(std::move(engine)),
      session_(std::move(session)),
      renewer_({*session_, options_.ttl, std::move(alarm), notifier_, options_.log,
                options_.metrics}),
      signals_(*session_),
      runner_(std::make_shared<Runner>(options_.executor)) {}

ClientState::~ClientState() {
  close(DropPolicy::give_up);
  (void)drop_all(renewer_.stop());
  decltype(shared_states_) last;
  {
    base::MutexLock lock(mutex_);
    last.swap(shared_states_);
  }
}

Failure ClientState::why_unusable(std::string_view name) const {
  return forked() ? base::client_forked(name) : base::client_closed(name);
}

Result<BoundResourcePtr> ClientState::bind(const engine::Address& address) {
  if (!usable()) return why_unusable(address.name);
  if (auto good = check_name(address.name); !good) return std::move(good).error();
  const engine::Traits traits = session_->traits(address.kind);
  if (!traits.supported) {
    return Failure(Errc::unsupported,
                   "engine " + std::string(engine_->scheme()) + " has no " +
                       base::kind_in_words(address.kind) + ", which \"" + address.name +
                       "\" is asked for as: use another kind or another engine");
  }

  BoundResourcePtr bound;
  base::MutexLock lock(mutex_);
  if (const BoundResource* const known = bounds_.find(address.kind, address.name)) {
    bound = BoundResourcePtr::revive(*known);
    if (bound) return bound;
    bounds_.erase(
        *known);  // its last reference is gone, and it is about to be destroyed
  }
  auto resource = session_->bind(address);
  if (!resource) return std::move(resource).error();
  const bool process_queue = traits.process_queue && lets_one_in(address.kind);
  BoundResourcePtr gate_owner =
      process_queue ? gate_owner_of(*resource) : BoundResourcePtr();
  bound = BoundResource::make(address, {.client = *this,
                                        .leased = traits.leased,
                                        .bounded = traits.leased || traits.many_hosts,
                                        .session_bound = traits.session_bound,
                                        .fifo_requests = traits.fifo_requests,
                                        .posts = traits.posts,
                                        .resource = *std::move(resource),
                                        .process_queue = process_queue,
                                        .gate_owner = std::move(gate_owner)});
  bounds_.insert(*bound);
  return bound;
}

void ClientState::unbind(const BoundResource& bound) noexcept {
  base::MutexLock lock(mutex_);
  bounds_.erase(bound);
}

// A resource that has no other reference is new, so no other address can share it.
BoundResourcePtr ClientState::gate_owner_of(
    const std::shared_ptr<engine::Resource>& resource) const {
  if (resource.use_count() == 1) return BoundResourcePtr();
  const BoundResource* const other = bounds_.find(*resource);
  return other != nullptr ? BoundResourcePtr::revive(*other) : BoundResourcePtr();
}

std::shared_ptr<SharedState> ClientState::attach_shared_state(
    const BoundResource& bound,
    const std::function<std::shared_ptr<SharedState>()>& make) {
  base::MutexLock lock(mutex_);
  auto& shared = shared_states_[&bound];
  if (shared == nullptr) shared = make();
  return shared;
}

void ClientState::detach_shared_state(std::shared_ptr<SharedState> shared,
                                      const BoundResource& bound) noexcept {
  if (forked()) return;
  const auto last = std::move(shared);  // is destroyed after the mutex is released
  base::MutexLock lock(mutex_);
  const auto found = shared_states_.find(&bound);
  // Two references are left when no other primitive has one: the map's and ours.
  if (found != shared_states_.end() && last.use_count() == 2 && last->idle()) {
    shared_states_.erase(found);
  }
}

void ClientState::note_answered(bool answered) noexcept {
  constexpr auto kNever = Clock::time_point::min();
  if (!answered) {
    silent_until_.store(Clock::now() + call_time_);
  } else if (silent_until_.load() != kNever) {
    silent_until_.store(kNever);
  }
}

bool ClientState::warn(std::string text) {
  return notifier_.try_post(
      [log = options_.log, text = std::move(text)] { log(LogLevel::warning, text); });
}

bool ClientState::answers() const noexcept {
  const auto until = silent_until_.load();
  return until == Clock::time_point::min() || Clock::now() >= until;
}

void ClientState::start(const std::shared_ptr<Task>& task) {
  if (!forked()) return runner_->start(task);
  task->fail(base::client_forked(task->name()));
  Runner::complete_without_runner(task, options_.executor);
}

void ClientState::close(DropPolicy policy) noexcept {
  if (forked()) return;
  if (closed_.exchange(true)) return await_close();
  {
    base::MutexLock lock(mutex_);
    bounds_.each([](const BoundResource& bound) {
      if (Gate* const gate = bound.gate_of_turns()) gate->close();
    });
  }
  signals_.ring_all();
  runner_->drain();

  // Leases are revoked first, which collects their claims. After the renewer has marked
  // them as lost, their claims would not be collected any more.
  auto claims = leases_.revoke_all();
  for (BoundClaim& pending : renewer_.close()) claims.push_back(std::move(pending));
  for (BoundClaim& left : drop_all(std::move(claims))) {
    if (policy == DropPolicy::keep_retrying) renewer_.drop_later(std::move(left));
  }
  watch_dispatcher_.stop();
  renewer_.join_if_idle();
  notifier_.stop();

  base::MutexLock lock(mutex_);
  shut_ = true;
  closing_.notify_all();
}

// A callback must not wait for the thread that closes, which itself waits for the
// callback.
void ClientState::await_close() noexcept {
  if (notifier_.inside() || runner_->inside()) return;
  base::MutexLock lock(mutex_);
  while (!shut_) closing_.wait(lock);
}

// Returns the claims that could not be dropped.
std::vector<BoundClaim> ClientState::drop_all(std::vector<BoundClaim> claims) noexcept {
  const auto end = Clock::now() + kCloseTimeout;
  bool late = false;
  std::erase_if(claims, [&](const BoundClaim& each) {
    if (late) return false;
    const auto dropped = each.bound->drop(each.claim, end - kSendOnlyTime);
    if (dropped || !base::is_transient(dropped.error())) return true;
    late = Clock::now() >= end;
    return false;
  });
  return claims;
}

}  // namespace holdfast::core

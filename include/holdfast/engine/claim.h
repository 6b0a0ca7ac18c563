// SPDX-License-Identifier: Apache-2.0

// holdfast/engine/claim.h - the types that an engine and the core exchange.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>

#include "holdfast/clock.h"
#include "holdfast/export.h"
#include "holdfast/hold.h"

namespace holdfast::inline v0::engine {

// The moment by which a call has to return, by CLOCK_BOOTTIME. With max() there is no
// limit, and the clock is not read.
using Deadline = Clock::time_point;

// How long a grant lasts. A grant with kNoLease ends with its owner, not by time.
using LeaseTime = std::chrono::nanoseconds;
inline constexpr LeaseTime kNoLease = LeaseTime::max();

// clang-format off
enum class Kind : std::uint8_t {
  mutex, fair_mutex, shared_mutex, semaphore, election, double_barrier,  // claims
  latch, barrier, counter, shared_count,                                 // registers
};
// clang-format on

struct Address {
  Kind kind;
  std::string name;
};

// The number of one claim, or of one change to a register, in its session. It is never
// used twice, and it makes a repeated request recognisable. An engine joins it to
// `SessionOptions::client` for a key that is unique among all clients:
// `<uuid>:<ticket>` on Redis, the UUID of a protected znode, a 16-byte permit id. A
// change with Ticket::none is not idempotent.
enum class Ticket : std::uint64_t { none = 0 };

enum class Mode : std::uint8_t { exclusive, shared };

// What a client wants. It is plain data: making one costs nothing. The text behind
// `payload` must outlive the claim.
struct Claim {
  Ticket ticket = Ticket::none;

  // How long the grant and each renewal last. Zero stands for the session's ttl.
  LeaseTime lease{};

  // How many permits of a semaphore are wanted, all or nothing.
  std::uint32_t permits = 1;

  // For a semaphore, the capacity to store if none is stored yet, or zero to store
  // none. For a double barrier, the number of parties.
  std::uint32_t capacity = 0;

  // How many tokens to reserve, for grants that are handed over inside the process.
  std::uint32_t tokens = 1;

  // The first of these tokens, or none to let the engine choose. A claim that names its
  // token does not wait, and its engine has `Traits::grants_named_tokens`.
  FencingToken token = {};

  Mode mode = Mode::exclusive;

  // The text that observers see. Empty stands for the session's payload.
  std::string_view payload = {};
};

// `token` is the first of the `tokens` that were reserved; an engine that cannot
// reserve tokens answers 1. If `one_token` is set, all of them are the same number.
// `lease` is what the engine gave, counted from when the request was sent. `capacity`
// answers an attempt at a semaphore: it is the stored one, as the engine read it for
// the grant. A capacity of zero says nothing, as where only the free permits are
// stored.
struct Granted {
  FencingToken token;
  std::uint32_t tokens = 1;
  LeaseTime lease = kNoLease;
  bool one_token = false;
  std::uint32_t capacity = 0;
};

// The caller asks again when its waker rings, and after `retry_after` at the latest.
struct Blocked {
  std::chrono::nanoseconds retry_after;
};

// A TokenBehind answers a claim that named its token, and no other claim: the token
// does not exceed `last`, the last one that the resource has granted.
struct TokenBehind {
  FencingToken last;
};
using Verdict = std::variant<Granted, Blocked, TokenBehind>;

// Returns whether a claim may have the token that it names, after `last` was granted.
// Readers hold together, so they may have the same one.
constexpr bool passes(const Claim& claim, FencingToken last) noexcept {
  return claim.mode == Mode::shared ? claim.token >= last : claim.token > last;
}

// A named token is at most this far ahead of the engine's clock in microseconds.
inline constexpr std::chrono::microseconds kTokensAhead = std::chrono::hours(1);

// A ClaimRef is one claim of several that are renewed together. The engine sets
// `granted` and `outcome`. Errc::not_held says that the claim is gone; after any other
// error it is not known whether the claim still exists.
class Resource;
struct ClaimRef {
  Resource* resource;
  const Claim* claim;
  Granted granted{};
  std::error_code outcome{};
};

// A Value is what a register holds. A version of zero says that the register is absent.
// Where `Traits::versions` is set, every change gives a new version.
struct Value {
  std::int64_t number = 0;
  std::uint64_t version = 0;
};

// In the `from` of an exchange, this version stands for a register that is present and
// holds the number, whatever its version.
inline constexpr std::uint64_t kAnyVersion = ~std::uint64_t{0};

// Returns whether a register that holds `now` is as `from` says.
constexpr bool matches(const Value& from, const Value& now) noexcept {
  if (from.version == 0 || now.version == 0) return from.version == now.version;
  return from.number == now.number &&
         (from.version == kAnyVersion || from.version == now.version);
}

// An exchange answers whether the register was as expected and is now as wanted, and
// what it holds after the call.
struct Exchanged {
  bool done;
  Value now;
};

// An Entry is a claim as an observer sees it, of any client and any library. `owner` is
// in the engine's spelling: the id of a Java thread, a znode, an etcd key.
struct Entry {
  std::string owner;
  std::string payload;
  Mode mode = Mode::exclusive;
  std::uint32_t permits = 1;
  bool granted = false;
  FencingToken token;
  std::optional<std::chrono::system_clock::time_point> since;
  std::optional<LeaseTime> left;
};

// A Signal is what one waiter sleeps on. `ring` may be called from any thread, at any
// time and without cause, and returns at once. `wait` returns when the signal has been
// rung since the last `wait`, or when the deadline has passed.
class HOLDFAST_EXPORT Signal {
 public:
  virtual ~Signal();
  virtual void ring() noexcept = 0;
  virtual void wait(Deadline) noexcept = 0;
};
using Waker = std::shared_ptr<Signal>;

}  // namespace holdfast::inline v0::engine

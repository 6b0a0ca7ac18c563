// holdfast/engine/claim.h - the words that an engine and the core use with each other.

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
#include "holdfast/hold.h"

namespace holdfast::engine {

using Deadline = Clock::time_point;  // CLOCK_BOOTTIME. max(): the clock is not read
using Lease = std::chrono::nanoseconds;
inline constexpr Lease kNoLease = Lease::max();  // ends with its owner, not by time

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

// The number of one claim, or of one change to a register, in its session; never used
// twice. The engine joins it to `SessionOptions::client`: `<uuid>:<ticket>` on Redis,
// the UUID of a protected znode, a 16-byte permit id. Zero: this change is not
// repeatable.
enum class Ticket : std::uint64_t { none = 0 };

enum class Mode : std::uint8_t { exclusive, shared };

// Plain data: making one costs nothing. `payload` must outlive the claim.
struct Claim {
  Ticket ticket = Ticket::none;
  Lease lease{};               // from grant and from each renewal; zero: the session's
  std::uint32_t permits = 1;   // wanted now, all or nothing
  std::uint32_t capacity = 0;  // semaphore: if none is stored; double barrier: parties
  std::uint32_t tokens = 1;    // to reserve, for holds handed over inside the process
  Mode mode = Mode::exclusive;
  std::string_view payload = {};  // shown to observers; empty: the session's
};

struct Granted {
  FencingToken token;        // the first of those reserved
  std::uint32_t tokens = 1;  // how many were; an engine that cannot reserve says 1
  Lease lease = kNoLease;    // what the engine gave, counted from when it was asked
  bool one_token = false;    // all of those reserved are the same number
};
struct Blocked {
  std::chrono::nanoseconds retry_after;  // ask again by then, rung or not
};
using Verdict = std::variant<Granted, Blocked>;

// One claim among several.
class Resource;
struct Stake {
  Resource* resource;
  const Claim* claim;
  Granted granted{};          // out
  std::error_code outcome{};  // out. Errc::not_held: gone. Any other error: not known
};

// What a register holds. Where `Traits::versions`, every change gives a new version.
struct Value {
  std::int64_t number = 0;
  std::uint64_t version = 0;  // zero: absent
};
// As the `from` of an exchange: present, with this number, whatever its version.
inline constexpr std::uint64_t kAnyVersion = ~std::uint64_t{0};

// Whether a register that holds `now` is as `from` says.
constexpr bool matches(const Value& from, const Value& now) noexcept {
  if (from.version == 0 || now.version == 0) return from.version == now.version;
  return from.number == now.number &&
         (from.version == kAnyVersion || from.version == now.version);
}

struct Exchanged {
  bool done;
  Value now;
};

// A claim as an observer sees it, whoever made it.
struct Entry {
  std::string owner;  // in the engine's spelling: a Java thread's, a znode, an etcd key
  std::string payload;
  Mode mode = Mode::exclusive;
  std::uint32_t permits = 1;
  bool granted = false;
  FencingToken token;
  std::optional<std::chrono::system_clock::time_point> since;
  std::optional<Lease> left;
};

// What one waiter sleeps on. It may be rung from any thread, at any time, without
// cause.
class Signal {
 public:
  virtual ~Signal() = default;
  virtual void ring() noexcept = 0;          // returns at once
  virtual void wait(Deadline) noexcept = 0;  // until rung, or until then
};
using Waker = std::shared_ptr<Signal>;

}  // namespace holdfast::engine

// holdfast/engine/session.h - the waist: all that Holdfast asks of an engine.
//
// An engine keeps two sorts of state. What dies with its owner is a claim; what
// outlives it is a register. Every primitive is written once, in src/primitives, over
// these two.
//
// The contract, which tests/conformance states as code:
//   * Calls may come from any thread. None waits for another client: each does its work
//     before its deadline or fails. A deadline that has passed means: send, do not
//     wait; the waker rings when the answer is there, and the repeated call fetches it.
//   * A lost reply gives Errc::outcome_unknown. Every call may be repeated with the
//     same ticket and changes nothing twice, except a change with Ticket::none.
//   * A ticket that was attempted ends in exactly one way: granted and later dropped,
//     or dropped. After an error the place may exist. `drop` is final: no request sent
//     before it, however late it arrives, brings the place back.
//   * A waiting place lives while it is attempted again within `retry_after`. An engine
//     that may have missed an event rings every waker.
//   * A session outlives the lease behind it: it opens another. Claims made under the
//     old one are gone, and `renew` says so.

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/engine/claim.h"
#include "holdfast/export.h"
#include "holdfast/result.h"
#include "holdfast/retry.h"

namespace holdfast::engine {

// What one kind promises on the server that was found, as of the last connect.
struct Traits {
  bool supported = false;   // the kind exists here
  bool fences = false;      // tokens grow with every grant, across restart and failover
  bool orders = false;      // grants in order of arrival
  bool notifies = false;    // wakers ring without polling
  bool versions = false;    // a register that changed and changed back is told apart
  bool downgrades = false;  // other readers get in; false: the place stays exclusive
  bool survives = false;    // a claim is not lost with one server
  bool many_hosts = true;   // clients on other hosts see the same state
  bool leased = true;       // grants end by time: the keeper must know them
  bool gated = true;        // threads of one process queue first; exclusive kinds only
  bool sessional = false;   // claims hang on the session: none has a time of its own
  bool in_order = false;    // and what a session asks is done in the order of asking:
                            // a drop that was sent need not be awaited
};

struct Watch {
  std::shared_ptr<void> keep;            // dropped: no ring starts after that
  std::chrono::nanoseconds retry_after;  // look again by then, rung or not
};

// One address, spelt once: keys, channels, paths, a slot in shared memory.
class Resource {
 public:
  virtual ~Resource() = default;

  // Claims. `attempt` takes or keeps a place in the queue and says whether its turn has
  // come. If not, `waker` is armed before it returns, so no change can slip between; a
  // grant or `drop` disarms it. A null `waker` means now or never: a blocked attempt
  // then leaves no place behind. `amend` changes a granted claim (downgrade, new
  // payload or lease, fewer permits) and, as `renew`, never creates one. `drop` gives
  // up the place, waiting or granted alike, and wakes whoever is next, ours or not;
  // where `Traits::in_order`, a drop whose deadline has passed is sent, and repeated
  // by the engine until it is done, and whatever this session asks later comes after
  // it. Errc::not_held: there was nothing (which, after a lost reply, need not mean
  // that the claim had been lost).
  virtual Result<Verdict> attempt(const Claim& claim, const Waker& waker, Deadline) = 0;
  virtual Result<Granted> amend(const Claim& held, const Claim& wanted, Deadline) = 0;
  virtual Result<void> drop(const Claim& claim, Deadline) = 0;

  // Registers. `exchange` creates, changes and erases, if the register is as in `from`.
  // `add` starts an absent counter from zero and leaves an absent latch alone; a latch
  // that comes to zero is gone. What does not fit into 64 bits is Errc::bad_argument. A
  // barrier that is there reads as 1, whatever a peer wrote in it. The register of a
  // semaphore is its capacity; of a double barrier, its ready flag.
  virtual Result<Value> load(Deadline) = 0;
  virtual Result<Value> add(std::int64_t by, Ticket, Deadline) = 0;
  virtual Result<Exchanged> exchange(const Value& from, std::optional<std::int64_t> to,
                                     Ticket, Deadline) = 0;

  // For observers and operators. A watch rings at every change until it is dropped.
  // `survey` lists in the order of the queue what the layout shows; in a double barrier
  // all are granted once it is complete. `evict` ends the claim whose owner is so
  // spelt: for operators only.
  virtual Result<Watch> watch(const Waker& waker, Deadline) = 0;
  virtual Result<std::vector<Entry>> survey(std::size_t limit, Deadline) = 0;
  virtual Result<void> evict(std::string_view owner, Deadline) = 0;
};

struct Page {
  std::vector<Address> addresses;
  std::string next;  // empty: the last page
};

// A lease that its owner keeps alive, and everything that hangs on it.
class Session {
 public:
  virtual ~Session() = default;

  virtual Traits traits(Kind kind) const noexcept = 0;

  // No round trip. Addresses under which two claims of this session would be one on the
  // wire (mutex and election in etcd) give one object; the core queues by object.
  virtual Result<std::shared_ptr<Resource>> bind(const Address& address) = 0;

  // Keeps the session alive and extends these granted claims, in one round trip where
  // the engine can; called while any claim waits or is granted. A claim that is not
  // named is not extended (where it hangs on the session alone, it lives until
  // dropped). Each stake has its own outcome: a dead shard must not hide a live one.
  //
  // Several calls may be under way at once, with different stakes, and none waits for
  // another: while one is stuck at a shard or a row, others must be answered. A call
  // that has not returned by its deadline counts as failed, and its stakes are named
  // again in others. An empty span keeps the session alive and does nothing else.
  virtual Result<void> renew(std::span<Stake> stakes, Deadline) = 0;

  // What this engine can find by name; costly on some.
  virtual Result<Page> list(std::string_view prefix, std::string_view from,
                            Deadline) = 0;

  // For operators: removes what is kept of names that nobody uses, and that nobody has
  // used for so long; says how many. Where nothing is left behind, there is nothing to
  // do. Tokens go on growing also on a name that was removed.
  virtual Result<std::uint64_t> sweep(std::chrono::seconds /*unused_for*/, Deadline) {
    return 0;
  }

  // A descriptor that keeps this session's claims alive for as long as any process has
  // it open, whatever becomes of this one; for a supervisor to hand to the command that
  // it guards. -1 where claims end by time: there a deadline does the same. It stays
  // the session's: duplicate it, do not close it.
  virtual int witness() const noexcept { return -1; }

  // What an operator should know of the server that was found, a sentence each: that it
  // may evict locks, that nothing is stored on disk.
  virtual std::vector<std::string> warnings() const { return {}; }

  // A signal for one thread to sleep on. The local engine's lies in shared memory, so
  // that a releasing process wakes the waiting thread itself.
  virtual Waker signal() = 0;
};

struct SessionOptions {
  std::chrono::milliseconds ttl{30'000};
  std::array<std::uint8_t, 16> client{};  // random, as a UUID
  std::string payload = {};               // host:pid, unless a claim has its own
  RetryPolicy retry = {};                 // pauses between connections that fail
  Waker alarm = {};  // rung when a granted claim may be gone: the keeper renews at once
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view scheme() const noexcept = 0;  // "redis", "etcd", ...
  virtual Result<std::unique_ptr<Session>> open(const SessionOptions& options) = 0;
};

}  // namespace holdfast::engine

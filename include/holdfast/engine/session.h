// SPDX-License-Identifier: Apache-2.0

// holdfast/engine/session.h - the waist: all that Holdfast asks of an engine.
//
// An engine keeps two sorts of state. A claim ends with its owner; a register outlives
// it. Every primitive is written once, in src/primitives, over these two.
//
// The contract, which tests/conformance states as code:
//   * Calls may come from any thread. No call waits for another client: each does its
//     work before its deadline or fails.
//   * With a deadline that has passed, a call does not wait for a server. It fails with
//     Errc::outcome_unknown or Errc::unavailable, unless the answer is there at once;
//     the same call with a later deadline does the work or gets the answer. Where
//     `Traits::sends_ahead` is set, the request is sent all the same; for that the call
//     may wait until it has a connection, but for 100 ms at most.
//   * A lost reply gives Errc::outcome_unknown, or Errc::unavailable for a claim. Every
//     call is idempotent with the same ticket, except a change with Ticket::none.
//   * A ticket that was attempted ends in exactly one way: it is granted and later
//     dropped, or it is dropped. After an error the claim may exist. `drop` is final:
//     no request that was sent before it revives the claim, however late it arrives.
//   * A waiting claim lives while it is attempted again within `retry_after`. An engine
//     that may have missed an event rings every waker.
//   * A session outlives the server's lease behind it: it opens another one. Claims
//     that were made under the old lease are gone, and `renew` reports it.

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

namespace holdfast::inline v0::engine {

// What an engine promises for one kind, on the server that it found when it last
// connected.
struct Traits {
  // The engine has this kind.
  bool supported = false;

  // Tokens grow with every grant, also across a restart and a failover.
  bool fences = false;

  // Claims are granted in order of arrival.
  bool orders = false;

  // Waiters are woken by the server; they do not poll.
  bool notifies = false;

  // A register that changed and changed back can be told from one that did not change.
  bool versions = false;

  // A downgraded hold lets other readers in. Otherwise the claim stays exclusive.
  bool downgrades = false;

  // A claim survives the loss of one server.
  bool survives = false;

  // Clients on other hosts see the same state.
  bool many_hosts = true;

  // Grants end by time, so they have to be renewed.
  bool leased = true;

  // The threads of one process queue in the process, and one of them asks the engine.
  // This concerns exclusive kinds only.
  bool process_queue = true;

  // Claims expire with the session, not individually.
  bool session_bound = false;

  // The server applies the requests of one session in the order in which they were
  // sent, so a drop that was sent need not be awaited.
  bool fifo_requests = false;

  // A call whose deadline has passed sends its request, which takes effect although the
  // call has failed. It may connect first, and waits for 100 ms at most until it has.
  // Elsewhere it depends on the call whether the request is sent.
  bool sends_ahead = false;

  // `post_attempt` and `post_drop` answer. Elsewhere they always leave it to the forms
  // that wait.
  bool posts = false;

  // A claim may name its token. It is then granted with exactly that token and those
  // that follow it, or it is not granted: an exclusive claim must name one above all
  // that were granted before, and a shared claim one that is not below them. A token
  // that is refused changes nothing. A token more than an hour ahead of the engine's
  // clock is Errc::bad_argument.
  bool grants_named_tokens = false;
};

// A watch on a resource. No ring starts after `keep` has been destroyed. The watcher
// looks again when its waker rings, and after `retry_after` at the latest.
struct Watch {
  std::shared_ptr<void> keep;
  std::chrono::nanoseconds retry_after;
};

// What came of a call that does not wait for a server: its answer, or that it is under
// way. Neither means that only the form that waits can answer.
template <class T>
struct Posted {
  std::optional<Result<T>> answer = {};
  bool under_way = false;
};

// One address with everything that the engine derives from it: keys, channels, paths, a
// slot in shared memory. A call that the address's kind has no use for may be left out:
// its default is Errc::unsupported or, for observers and operators, that none is there.
class HOLDFAST_EXPORT Resource {
 public:
  virtual ~Resource();

  // Takes or keeps an entry in the queue, and says whether the claim is granted. If it
  // is not, `waker` is armed before the call returns, so that no change is missed; a
  // grant or a `drop` disarms it. A null `waker` stands for a caller that does not
  // wait: a blocked attempt then leaves no entry behind.
  virtual Result<Verdict> attempt(const Claim& /*claim*/, const Waker& /*waker*/,
                                  Deadline) {
    return Errc::unsupported;
  }

  // Does what `attempt` does, but does not wait for a server. If the call is under way,
  // `answered` rings when its answer is there, soon after the deadline at the latest,
  // and the same call then returns it; a reply that is lost is an answer, too. If
  // `waker` rang meanwhile, a blocked claim is told to ask again at once, because the
  // caller may have taken the one ring for the other. If only `attempt` can answer, it
  // is called next with the same ticket. A `drop` may come at any time, also while the
  // call is under way.
  virtual Posted<Verdict> post_attempt(const Claim& /*claim*/, const Waker& /*waker*/,
                                       const Waker& /*answered*/, Deadline) {
    return {};
  }

  // Changes a granted claim: a downgrade, another payload or lease, fewer permits. It
  // never creates a claim. Errc::not_held: the claim is gone.
  virtual Result<Granted> amend(const Claim& /*held*/, const Claim& /*wanted*/,
                                Deadline) {
    return Errc::unsupported;
  }

  // Gives up a claim, whether it waits or is granted, and wakes the next waiter, of
  // whichever client and library. Errc::not_held: there was no such claim; after a lost
  // reply this need not mean that the claim had been lost. Where
  // `Traits::fifo_requests` is set, a drop whose deadline has passed is sent and
  // retried by the engine until it is done, and every later request of this session
  // takes effect after it.
  virtual Result<void> drop(const Claim& /*claim*/, Deadline) {
    return Errc::unsupported;
  }

  // Does what `drop` does, but does not wait for a server, as `post_attempt` does.
  virtual Posted<void> post_drop(const Claim& /*claim*/, const Waker& /*answered*/,
                                 Deadline) {
    return {};
  }

  // Returns what the register holds. A barrier that is present reads as 1, whatever
  // another library wrote into it. The register of a semaphore is its capacity; the
  // register of a double barrier is its ready flag.
  virtual Result<Value> load(Deadline) { return Errc::unsupported; }

  // Adds to the register and returns what it holds then. An absent counter starts from
  // zero, and an absent latch is left alone; a latch that comes to zero becomes absent.
  // A result that does not fit into 64 bits is Errc::bad_argument.
  virtual Result<Value> add(std::int64_t /*by*/, Ticket, Deadline) {
    return Errc::unsupported;
  }

  // Creates, changes or erases the register, if it is as `from` says. It is done if
  // `from` matched: an absent register that is exchanged for an absent one is done,
  // stays absent, and is no change.
  virtual Result<Exchanged> exchange(const Value& /*from*/,
                                     std::optional<std::int64_t> /*to*/, Ticket,
                                     Deadline) {
    return Errc::unsupported;
  }

  // Rings `waker` at every change, until `Watch::keep` is destroyed.
  virtual Result<Watch> watch(const Waker& waker, Deadline) = 0;

  // Lists the claims that the layout shows, at most `limit`, in the order of the queue.
  // Once a double barrier is complete, all its entries are granted.
  virtual Result<std::vector<Entry>> survey(std::size_t /*limit*/, Deadline) {
    return std::vector<Entry>{};
  }

  // Ends the claim of this owner, as `survey` spells it. Errc::not_held: the owner has
  // no claim. It is for operators only.
  virtual Result<void> evict(std::string_view /*owner*/, Deadline) {
    return Errc::not_held;
  }
};

// `next` is where the next page begins; it is empty on the last page.
struct Page {
  std::vector<Address> addresses;
  std::string next;
};

// One of the servers that a session found, for people to read.
struct ServerDescription {
  // A name and a value, such as "version" and "7.0.15".
  struct Property {
    std::string name;
    std::string value;
  };

  // Where the server is, as messages spell it: an address, or the path of a file.
  std::string server;

  std::vector<Property> properties;
};

// A client's session with the server: it is kept alive, and claims may depend on it.
class HOLDFAST_EXPORT Session {
 public:
  virtual ~Session() = default;

  virtual Traits traits(Kind kind) const noexcept = 0;

  // Makes the resource of an address, without a round trip. Where two addresses would
  // make two claims of this session one at the server (mutex and election in etcd),
  // both give the same object, because the core queues threads by object.
  virtual Result<std::shared_ptr<Resource>> bind(const Address& address) = 0;

  // Keeps the session alive and extends these granted claims, in one round trip where
  // the engine can. It never creates a claim. It is called while any claim waits or is
  // granted. A claim that is not among `refs` is not extended; where claims expire
  // with the session, it lives until it is dropped. Each claim has its own outcome: a
  // dead shard must not hide a live one.
  //
  // Several calls may be under way at once, with different claims, and none waits for
  // another: while one is stuck at a shard or a row, the others must be answered. A
  // call that has not returned by its deadline counts as failed, and its claims are
  // named again in other calls. With an empty span, the call only keeps the session
  // alive.
  virtual Result<void> renew(std::span<ClaimRef> refs, Deadline) = 0;

  // Lists the addresses that the engine can find, whose names begin with `prefix`, from
  // the page `from` on. It is costly on some engines.
  virtual Result<Page> list(std::string_view prefix, std::string_view from,
                            Deadline) = 0;

  // For operators: removes what is stored of names that are not in use and have not
  // been for `unused_for`, and returns how many were removed. Engines that leave
  // nothing behind have nothing to do. Tokens go on growing on a name that was removed.
  virtual Result<std::uint64_t> sweep(std::chrono::seconds /*unused_for*/, Deadline) {
    return 0;
  }

  // A file descriptor that keeps this session's claims alive for as long as any process
  // has it open, even if this process dies. A supervisor passes it on to the command
  // that it guards. It is -1 where claims end by time, which serves the same purpose.
  // The session owns the descriptor: duplicate it, do not close it.
  virtual int liveness_fd() const noexcept { return -1; }

  // What an operator should know about the server that was found, one sentence each:
  // that it may evict locks, for instance, or that it stores nothing on disk.
  virtual std::vector<std::string> warnings() const { return {}; }

  // Makes a signal for one thread to sleep on. That of the local engine lies in shared
  // memory, so that a releasing process wakes the waiting thread itself; the default is
  // for the threads of one process. A signal may outlive its session: it can then still
  // be rung, waited for and destroyed.
  virtual Waker signal();

  // Describes the servers as they were when the session was opened, each once; no
  // server is asked. Nothing that is secret is in it. An engine that knows nothing of
  // its servers describes none.
  virtual std::vector<ServerDescription> servers() const { return {}; }
};

struct SessionOptions {
  std::chrono::milliseconds ttl{30'000};

  // The identity of this client: a random UUID.
  std::array<std::uint8_t, 16> client{};

  // The payload of claims that have none of their own.
  std::string payload = {};

  // The pauses between attempts to connect.
  RetryPolicy retry = {};

  // The engine rings it when a granted claim may be gone; the core then renews at once.
  Waker alarm = {};
};

class HOLDFAST_EXPORT Engine {
 public:
  virtual ~Engine();

  // The scheme of the engine's URLs, as in "redis" or "etcd".
  virtual std::string_view scheme() const noexcept = 0;

  // Opens a session with the server.
  virtual Result<std::unique_ptr<Session>> open(const SessionOptions& options) = 0;
};

}  // namespace holdfast::inline v0::engine

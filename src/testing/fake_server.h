// SPDX-License-Identifier: Apache-2.0

// src/testing/fake_server.h - the state of an engine, in memory.
//
// It keeps what a server would: claims with leases by Clock::now(), registers and
// tokens. It has no thread and no timer, so the next call notices what has expired.
// Every change of the queue rings the wakers, and `Blocked::retry_after` covers the
// leases.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/engine/admission.h"
#include "holdfast/engine/session.h"

namespace holdfast::test {

// Each operation is atomic. The class is safe for concurrent use.
class FakeServer {
 public:
  using Client = std::uint64_t;  // a session of this server

  explicit FakeServer(engine::Traits traits, bool reserves_tokens)
      : traits_(traits), reserves_tokens_(reserves_tokens) {}

  const engine::Traits& traits() const noexcept { return traits_; }

  Client join(const engine::SessionOptions& options);
  void leave(Client client);

  Result<engine::Verdict> attempt(Client, const engine::Address&, const engine::Claim&,
                                  const engine::Waker&);
  Result<engine::Granted> amend(Client, const engine::Address&,
                                const engine::Claim& held, const engine::Claim& wanted);
  Result<engine::Granted> renew(Client, const engine::Address&, const engine::Claim&);
  Result<void> drop(Client, const engine::Address&, const engine::Claim&);

  Result<engine::Value> load(const engine::Address&);
  Result<engine::Value> add(Client, const engine::Address&, std::int64_t by,
                            engine::Ticket);
  Result<engine::Exchanged> exchange(Client, const engine::Address&,
                                     const engine::Value& from,
                                     std::optional<std::int64_t> to, engine::Ticket);

  Result<engine::Watch> watch(const engine::Address&, const engine::Waker&);
  Result<std::vector<engine::Entry>> survey(const engine::Address&, std::size_t limit);
  Result<void> evict(const engine::Address&, std::string_view owner);
  engine::Page list(std::string_view prefix, std::string_view from);

  // Ends the granted claims of this name, as if their leases had expired, and alarms
  // the sessions that held them. Returns how many claims it ended.
  std::size_t end_claims(std::string_view name);

 private:
  struct StoredClaim {
    Client client;
    engine::Ticket ticket;
    engine::Mode mode;
    std::uint32_t permits;
    std::string payload;
    engine::Waker waker;
    Clock::time_point end;  // the end of the lease, or of a waiter's claim
    engine::LeaseTime lease;
    std::uint32_t tokens;  // requested, then given
    bool granted = false;
    FencingToken token{};
    std::chrono::system_clock::time_point since{};
  };
  struct Node {
    std::deque<StoredClaim> queue;
    std::optional<engine::Value> value;
    std::uint32_t parties = 0;
    std::map<std::pair<Client, engine::Ticket>, engine::Exchanged> done;
    std::vector<std::weak_ptr<engine::Waker>> watches;
    bool live() const noexcept { return !queue.empty() || value.has_value(); }
  };
  struct Session {
    engine::SessionOptions options;
    std::set<engine::Ticket> dropped;
  };
  using Key = std::pair<std::string, engine::Kind>;

  Result<Node*> visit(const engine::Address& address);
  void expire(Node& node, const engine::Address& address);
  bool admitted(const Node& node, engine::Kind kind, std::size_t index) const;
  void ring(Node& node, engine::Kind kind);
  StoredClaim* find(Node& node, Client client, engine::Ticket ticket);
  engine::LeaseTime lease_of(Client client, const engine::Claim& claim) const;
  void grant(StoredClaim& stored);
  engine::Granted facts(const StoredClaim& stored) const;
  engine::Verdict grant_of(const Node& node, engine::Kind kind,
                           const StoredClaim& stored) const;
  std::chrono::nanoseconds retry_after(const Node& node) const;
  engine::Value change(Node& node, std::optional<std::int64_t> to);

  const engine::Traits traits_;
  const bool reserves_tokens_;

  std::mutex mutex_;
  Client last_client_ = 0;
  std::uint64_t last_token_ = 0;
  std::uint64_t last_version_ = 0;
  std::map<Client, Session> sessions_;
  std::map<Key, Node> nodes_;
};

}  // namespace holdfast::test

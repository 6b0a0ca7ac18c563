// engines/quorum/bid.h - one try for a claim, at every node.
//
// A claim that was refused is tried again with another bid, which has a ticket of its
// own: what was dropped at a node is dropped there for good.

#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engines/quorum/ears.h"
#include "holdfast/engine/session.h"

namespace holdfast::quorum {

// An address at every node. Each of them is bound when it is first asked.
class Spot {
 public:
  Spot(engine::Address address, std::size_t nodes);

  const engine::Address& address() const noexcept { return address_; }

  // REQUIRES: on the thread of that node.
  Result<engine::Resource*> at(std::size_t node, engine::Session& session);

 private:
  const engine::Address address_;
  std::vector<std::shared_ptr<engine::Resource>> resources_;
};

// Each node's part belongs to that node's thread: calls with a `node` are for it alone.
class Bid {
 public:
  // `claim` with the ticket that the nodes see, and with its lease.
  Bid(std::shared_ptr<Spot> spot, const engine::Claim& claim, std::size_t nodes);

  // Now or never: a blocked claim leaves no place at the node. `ears`: hears of a
  // change there; may be null.
  Result<engine::Verdict> attempt(std::size_t node, engine::Session& session,
                                  Ears* ears, engine::Deadline until);
  Result<engine::Granted> amend(std::size_t node, engine::Session& session,
                                const engine::Claim& wanted, engine::Deadline until);

  // Final: repeated, it says the same again.
  Result<void> drop(std::size_t node, engine::Session& session, engine::Deadline until);

  // For a renewal; null: it is not there.
  const engine::Claim* claim(std::size_t node) const noexcept;
  Result<engine::Resource*> resource(std::size_t node, engine::Session& session) {
    return spot_->at(node, session);
  }

  // True once, if it may still be at that node after it was given up.
  bool falls_due(std::size_t node) noexcept;

  // From now on no node is asked for it. From any thread.
  void withdraw() noexcept { withdrawn_.store(true); }

 private:
  enum class Standing { never, there, dropped, absent };
  struct Seat {
    Standing standing = Standing::never;  // there: perhaps
    bool owed = false;                    // the node is to drop it, once it answers
    engine::Claim claim;
    std::string payload;
  };
  static void put(const engine::Claim& claim, Seat& seat);

  const std::shared_ptr<Spot> spot_;
  std::atomic<bool> withdrawn_{false};
  std::vector<Seat> seats_;
};

}  // namespace holdfast::quorum

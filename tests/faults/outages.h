// SPDX-License-Identifier: Apache-2.0

// tests/faults/outages.h - servers that die, stand still or refuse for a while, under
// clients that hold and wait.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

#include "holdfast/client.h"
#include "holdfast/mutex.h"

namespace holdfast::test {

struct Outage {
  std::function<Client()> open;
  std::chrono::milliseconds ttl;  // of the clients of `open`
  std::function<void()> begin;
  std::function<void()> end;
};

// A server that stores what it has granted, and keeps it when it ends.
class DurableGround {
 public:
  virtual ~DurableGround() = default;
  virtual Outage killed() = 0;
  virtual Outage stopped() = 0;  // It is asked to end.
};

// Two of three servers are dead, and one of them led the others.
template <class Cluster>
Outage without_a_majority(Cluster& three, std::function<Client()> open,
                          std::chrono::milliseconds ttl) {
  const std::size_t leader = three.leader();
  auto& one = three[leader];
  auto& two = three[(leader + 1) % Cluster::kServers];
  return {std::move(open), ttl,
          [&one, &two] {
            one.kill();
            two.kill();
          },
          [&one, &two, &three] {
            one.launch();
            two.launch();
            three.expect();
          }};
}

// The outage is over as soon as it has begun, and the servers forget nothing.
void a_hold_outlives_a_restart(const Outage& on);
void a_claim_outlives_a_restart(const Outage& on);
void a_sale_outlives_restarts(const Outage& on);

void a_hold_outlives_a_short_outage(const Outage& on);
void a_long_outage_loses_the_hold_in_time(const Outage& on);
void a_call_ends_in_an_outage(const Outage& on);

// One of several servers fails. The hold stays, and `other` does not get the lock
// before it is released.
void a_hold_outlives(const std::function<void()>& fault, Hold& hold, Mutex& other);

// Either the hold stays, or its loss is known before `other` gets the lock.
void an_outage_grants_no_lock_twice(const Outage& on, Hold& hold, Mutex& other);

}  // namespace holdfast::test

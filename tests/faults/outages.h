// tests/faults/outages.h - servers that serve nobody for a while, under those who hold
// and wait: they die, stand still, or refuse.

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
  std::chrono::milliseconds ttl;  // of those clients
  std::function<void()> begin;
  std::function<void()> end;
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

// It is over as soon as it has begun, and nothing that was stored is forgotten.
void a_hold_outlives_a_restart(const Outage& on);
void a_claim_outlives_a_restart(const Outage& on);
void a_sale_outlives_restarts(const Outage& on);

void a_hold_outlives_a_short_outage(const Outage& on);
void a_long_outage_loses_the_hold_in_time(const Outage& on);
void a_call_ends_in_an_outage(const Outage& on);

// Of one server, when there are more: the hold stays, and the other stays out until it
// is released.
void a_hold_outlives(const std::function<void()>& fault, Hold& hold, Mutex& other);
// Or the loss is known before the other gets in.
void an_outage_lets_nobody_in_twice(const Outage& on, Hold& hold, Mutex& other);

}  // namespace holdfast::test

// tests/faults/storm.h - locks and numbers under a line that fails at random, and under
// leases that end.
//
// Each works on one name for some seconds of storm, until it goes on after that, and
// expects what its name says.

#pragma once

#include <chrono>
#include <functional>

#include "holdfast/client.h"
#include "support/fault_proxy.h"

namespace holdfast::test {

struct Storm {
  using Open = std::function<Client(std::chrono::milliseconds ttl)>;
  FaultProxy& line;
  Open open;           // over the line
  Open open_directly;  // past it
};

void a_mutex_has_one_holder(const Storm& storm);                    // "a"
void a_writer_is_alone(const Storm& storm);                         // "a"
void a_semaphore_has_no_more_than_its_permits(const Storm& storm);  // "a"
void no_add_is_forgotten_or_made_twice(const Storm& storm);         // "n"

}  // namespace holdfast::test

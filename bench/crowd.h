// SPDX-License-Identifier: Apache-2.0

// bench/crowd.h - many callers of one lock, ours and a rival's, on a server.

#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <vector>

#include "contend.h"
#include "ground.h"
#include "rival_peer.h"

namespace holdfast::bench {

// Runs at HOLDFAST_URL.
Storm of_ours(const Context& context, const Crowd& crowd);

// There are as many processes as peers; there must be enough of them.
Storm of_rival(std::span<RivalPeer> peers, const Crowd& crowd);

// Returns the crowds of these numbers of processes that are wanted, with one thread
// each. In memory there are more: with work under the lock, which on disk is small
// beside the flush, and with many threads in a process.
std::vector<Crowd> crowds_on(const Context& context, const Ground& ground,
                             std::initializer_list<int> processes,
                             std::chrono::nanoseconds time);

// The number of processes in the largest of them; zero if there are none.
int most_processes(const std::vector<Crowd>& crowds);

// Says how many times the rival's rate is wanted.
using LeastRatio = std::function<double(const Ground&, const Crowd&)>;

// This is the workload "contended" of an engine with one rival.
void contend_beside(const Context& context, const Rival& rival,
                    std::chrono::milliseconds round, const LeastRatio& least,
                    Report& report);

}  // namespace holdfast::bench

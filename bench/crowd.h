// SPDX-License-Identifier: Apache-2.0

// bench/crowd.h - many callers of one lock, ours and a rival's, on a server.

#pragma once

#include <span>

#include "contend.h"
#include "rival_peer.h"

namespace holdfast::bench {

// Throws std::runtime_error when an update was lost, because the figures then mean
// nothing.
Storm storm_of(const Contention& contention);

// Runs at HOLDFAST_URL.
Storm of_ours(const Context& context, const Crowd& crowd);

// There are as many processes as peers.
Storm of_rival(std::span<RivalPeer> peers, const Crowd& crowd);

}  // namespace holdfast::bench

// SPDX-License-Identifier: Apache-2.0

// shop/peers/peers.h - services on other libraries, beside Holdfast's in the same shop.
//
// A peer has two strategies: its own, and Holdfast's with the same store and server.
// All of their stock is sold once before it is measured, since Java compiles while it
// runs.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "sale/sale.h"

namespace holdfast::shop {

inline const std::vector<std::string> kPeerNames = {"redisson"};

// Returns those of all peers, each beside Holdfast's.
std::span<const StrategyInfo> peer_strategies();

// Throws Trouble when there is no such peer, or when it was not built.
void check_peer(const std::string& peer);

// Returns how many requests Holdfast's services have answered in the time of one of the
// peer's, or 0 if one of the two has not sold.
double ratio_to(const std::string& peer, std::span<const SaleResult> sales);

}  // namespace holdfast::shop

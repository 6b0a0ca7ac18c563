// SPDX-License-Identifier: Apache-2.0

#include "crowd.h"

#include <algorithm>
#include <stdexcept>

#include "contestant.h"

namespace holdfast::bench {

Storm storm_of(const Contention& contention) {
  if (contention.lost != 0)
    throw std::runtime_error("an update was lost under the lock");
  return {static_cast<double>(contention.grants), contention.seconds,
          contention.longest_ms};
}

Storm of_ours(const Context& context, const Crowd& crowd) {
  return storm_of(contend(context, std::string(kHoldfast), crowd));
}

Storm of_rival(std::span<RivalPeer> peers, const Crowd& crowd) {
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(crowd.time);
  for (RivalPeer& each : peers) each.begin("contended", crowd.threads, time);
  Storm sum;
  for (RivalPeer& each : peers) {
    const Storm storm = each.end();
    sum.grants += storm.grants;
    sum.seconds = std::max(sum.seconds, storm.seconds);
    sum.longest_ms = std::max(sum.longest_ms, storm.longest_ms);
  }
  return sum;
}

}  // namespace holdfast::bench

#include "crowd.h"

#include <algorithm>
#include <stdexcept>

#include "contestant.h"

namespace holdfast::bench {

Storm of_ours(const Context& context, const Crowd& crowd) {
  const Contention all = contend(context, std::string(kHoldfast), crowd);
  if (all.lost != 0) throw std::runtime_error("an update was lost under the lock");
  return {static_cast<double>(all.grants), all.seconds, all.longest_ms};
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

// bench/zookeeper/crowd.h - many callers of one lock, ours and Curator's.

#pragma once

#include <span>

#include "contend.h"
#include "java_peer.h"

namespace holdfast::bench::zookeeper {

// At HOLDFAST_URL. Throws std::runtime_error when an update was lost: then nothing that
// was measured means anything.
Storm of_ours(const Context& context, const Crowd& crowd);

// As many processes as there are peers.
Storm of_curator(std::span<JavaPeer> peers, const Crowd& crowd);

}  // namespace holdfast::bench::zookeeper

// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/slot_map.h - which server of a cluster has which slot, as its
// servers tell. It does no I/O.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/uri.h"
#include "engines/redis/transport/reply.h"
#include "engines/redis/transport/slot.h"
#include "holdfast/result.h"

namespace holdfast::redis {

// The slots `first` to `last` belong to the primary.
struct SlotRange {
  Slot first;
  Slot last;
  base::Host primary;
  std::string id;                    // of the primary
  std::vector<base::Host> replicas;  // without those that are down
};

// Reads the answer to CLUSTER SLOTS. A server that does not know its own name leaves it
// out; it is then `asked`, the one that answered. Errc::unavailable means that the
// cluster has no slots yet. A failure names the server.
Result<std::vector<SlotRange>> read_slots(ReplyView answer, const base::Host& asked);

// A ClusterMember is one server of a cluster, whether it has slots or not.
struct ClusterMember {
  std::string id;
  base::Host host;
  std::string primary;  // the id of its primary; empty for a primary
  bool failed = false;  // The others cannot reach it.
};

// Reads the answer to CLUSTER NODES, which names also the servers that are down. It is
// empty where the user has no right to ask.
std::vector<ClusterMember> read_members(ReplyView answer, const base::Host& asked);

// Returns how many replicas the primary of the range has, with those that are down as
// far as `members` says.
std::size_t count_replicas(const SlotRange& range,
                           const std::vector<ClusterMember>& members) noexcept;

// Says where a command belongs, as an error reply tells it.
struct Redirection {
  enum class Kind {
    moved,  // The slot belongs to the other server from now on.
    ask,    // The slot is on its way to the other server; only this command goes there,
            // behind ASKING.
  };
  Kind kind;
  Slot slot;
  base::Host to;
};
std::optional<Redirection> read_redirection(ReplyView reply, const base::Host& asked);

// Returns whether the cluster cannot serve the command for the moment, for instance
// because the slot is on its way to another server.
bool is_passing(ReplyView reply) noexcept;

// Returns whether some keys of the command are at another server already, while the
// slot is on its way there.
bool is_migrating(ReplyView reply) noexcept;

}  // namespace holdfast::redis

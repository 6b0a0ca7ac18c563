// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/stored_register.h - a register as the content of a node.
//
//   counter       8 bytes, most significant first: DistributedAtomicLong; a node of 4
//                 bytes is DistributedAtomicInteger's and keeps its size; an empty node
//                 is an absent value
//   shared_count  4 bytes: SharedCount; also the capacity of a semaphore
//   barrier       anything: DistributedBarrier; also `ready` of a double barrier
//   latch         "latch 3 <tag>", and a child with the tag's name, so that a latch
//                 created again is not taken for the old one

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engines/zookeeper/transport/batch.h"
#include "holdfast/engine/claim.h"

namespace holdfast::zookeeper {

enum class RegisterFormat : std::uint8_t { counter, shared_count, barrier, latch };

struct StoredRegister {
  bool has_number = false;  // the node contains a number
  bool exists = false;      // the node exists, perhaps without a number
  bool leftover = false;    // the node exists and is of no use
  std::int64_t number = 0;
  std::size_t width = 0;
  std::string tag;
  std::int32_t node_version = 0;
  std::uint64_t version = 0;

  engine::Value value() const noexcept {
    return has_number ? engine::Value{number, version} : engine::Value{};
  }
};

// Reads the register in a node. Returns nullopt if the node contains something else.
std::optional<StoredRegister> read_register(RegisterFormat format, const Answer& node);

bool is_latch(std::string_view data) noexcept;

// Returns whether a node's content is a number of any format.
bool looks_like_a_number(std::string_view data) noexcept;

// Returns whether the register can hold `number`.
bool fits(RegisterFormat format, const StoredRegister& stored,
          std::int64_t number) noexcept;

// Returns the operations that make the register hold `number`, or erase it. They fail
// if it is no longer as in `stored`. `tag` is for a new latch, `note` is the content of
// a new barrier.
std::vector<Op> register_ops(RegisterFormat format, const StoredRegister& stored,
                             const std::string& path,
                             std::optional<std::int64_t> number, const std::string& tag,
                             const std::string& note);

}  // namespace holdfast::zookeeper

// engines/zookeeper/stored_register.h - a number as a node's content.
//
//   counter       8 bytes, most significant first: DistributedAtomicLong; a node of 4
//   is
//                 DistributedAtomicInteger's and stays so; none: as if absent
//   shared_count  4 bytes: SharedCount; also the permits of a semaphore
//   barrier       anything: DistributedBarrier; also the ready flag of a double barrier
//   latch         "latch 3 <tag>", and a child of the tag's name, so that a latch that
//                 was made anew under a change is not taken for the old one

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
  bool has_number = false;  // it holds a number
  bool exists = false;      // there is a node, perhaps without one
  bool leftover = false;    // and it is of no use to anybody
  std::int64_t number = 0;
  std::size_t width = 0;
  std::string tag;
  std::int32_t node_version = 0;
  std::uint64_t version = 0;

  engine::Value value() const noexcept {
    return has_number ? engine::Value{number, version} : engine::Value{};
  }
};

// What a node holds. Nothing: something else.
std::optional<StoredRegister> read_register(RegisterFormat format, const Answer& node);

bool is_latch(std::string_view data) noexcept;

// Whether a node's content is a number of any layout.
bool looks_like_a_number(std::string_view data) noexcept;

// Whether `number` fits.
bool fits(RegisterFormat format, const StoredRegister& stored,
          std::int64_t number) noexcept;

// The changes that make `cell` hold `number`, or nothing; they fail when it is no
// longer as it was. `tag`: for a new latch. `note`: what a new barrier says.
std::vector<Op> register_ops(RegisterFormat format, const StoredRegister& stored,
                             const std::string& path,
                             std::optional<std::int64_t> number, const std::string& tag,
                             const std::string& note);

}  // namespace holdfast::zookeeper

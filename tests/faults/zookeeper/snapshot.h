// SPDX-License-Identifier: Apache-2.0

// tests/faults/zookeeper/snapshot.h - changes the snapshot file of a server.

#pragma once

#include <cstdint>
#include <string>

namespace holdfast::test {

// Sets the number that the next sequential child of `path` gets, in the newest snapshot
// of a server that does not run. Its digests must be off ("digest.enabled=false"), and
// the node in the snapshot: a server writes one when it starts. Throws
// std::runtime_error.
void set_sequence(const std::string& data_dir, const std::string& path,
                  std::int32_t next);

}  // namespace holdfast::test

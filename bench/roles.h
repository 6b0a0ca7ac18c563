// SPDX-License-Identifier: Apache-2.0

// bench/roles.h - what the other processes of a workload do. Each takes the words that
// follow its name.

#pragma once

#include <span>
#include <string>

namespace holdfast::bench {

using Words = std::span<const std::string>;

void handover_role(Words words);
void contended_role(Words words);
void pairs_role(Words words);
void operations_role(Words words);
void readers_role(Words words);

}  // namespace holdfast::bench

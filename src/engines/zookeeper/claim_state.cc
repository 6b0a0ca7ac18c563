// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/claim_state.h"

#include <utility>

namespace holdfast::zookeeper {

void ClaimState::start_again() {
  ClaimState fresh;
  fresh.id = std::move(id);
  fresh.session_id = session_id;
  *this = std::move(fresh);
}

std::vector<std::string> ClaimState::nodes() const {
  std::vector<std::string> all = leases;
  if (!node.empty()) all.push_back(node);
  return all;
}

std::vector<std::string> ClaimState::possible_nodes() const {
  std::vector<std::string> all = nodes();
  if (!next_node.empty()) all.push_back(next_node);
  return all;
}

}  // namespace holdfast::zookeeper

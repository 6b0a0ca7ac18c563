// SPDX-License-Identifier: Apache-2.0

// engines/quorum/node_resource.h - one address at every node.

#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "engines/quorum/transport/nodes.h"
#include "holdfast/engine/sent_call.h"
#include "holdfast/engine/session.h"

namespace holdfast::quorum {

// Each node's resource is bound when that node is first asked. REQUIRES: the caller of
// a function with a `node` has that node's turn.
class NodeResource {
 public:
  NodeResource(engine::Address address, std::size_t nodes)
      : address_(std::move(address)), resources_(nodes) {}

  const engine::Address& address() const noexcept { return address_; }

  Result<engine::Resource*> at(std::size_t node, engine::Session& session) {
    auto& [resource, split] = resources_[node];
    if (resource == nullptr) {
      auto bound = session.bind(address_);
      if (!bound) return std::move(bound).error();
      resource = *std::move(bound);
      split = dynamic_cast<engine::SplitCalls*>(resource.get());
    }
    return resource.get();
  }

  // Null means that the node's calls cannot be made in two halves.
  engine::SplitCalls* split_calls_at(std::size_t node, engine::Session& session) {
    return at(node, session) ? resources_[node].split : nullptr;
  }

 private:
  struct BoundAtNode {
    std::shared_ptr<engine::Resource> resource;
    engine::SplitCalls* split = nullptr;
  };

  const engine::Address address_;
  std::vector<BoundAtNode> resources_;
};

// Makes a question of `call(node, resource)`, which returns a Result<T>.
template <class T, class Call>
Question<T> ask_resource(const std::shared_ptr<NodeResource>& resource, Call call) {
  return {.ask = [=](std::size_t node, engine::Session& session) -> Result<T> {
    const auto bound = resource->at(node, session);
    if (!bound) return bound.error();
    return call(node, **bound);
  }};
}

}  // namespace holdfast::quorum

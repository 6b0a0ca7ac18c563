// SPDX-License-Identifier: Apache-2.0

// tests/unit/world.h - clients over the fake engine, in one line.

#pragma once

#include <chrono>
#include <memory>

#include "core/bound_resource.h"
#include "holdfast/client_options.h"
#include "testing/fake_engine.h"

namespace holdfast::test {

enum class Sort { leased_with_gate, leased, with_gate, plain };

std::shared_ptr<FakeWorld> make_world(Sort sort, bool reserves_tokens = true);

// The client has no log. `ttl` is not scaled.
Client join(const std::shared_ptr<FakeWorld>& world,
            std::chrono::milliseconds ttl = std::chrono::seconds(30),
            Metrics* metrics = nullptr);

core::BoundResourcePtr bind(const Client& client, std::string name);

// Returns the number of claims in the queue of a mutex.
std::size_t places(const std::shared_ptr<FakeWorld>& world, const std::string& name);

// Evicts the holder of the mutex.
void evict(const std::shared_ptr<FakeWorld>& world, const std::string& name);

}  // namespace holdfast::test

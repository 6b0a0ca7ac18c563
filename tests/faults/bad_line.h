// SPDX-License-Identifier: Apache-2.0

// tests/faults/bad_line.h - an engine that is reached over a connection that fails.

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>

#include "holdfast/client.h"
#include "holdfast/engine/claim.h"
#include "support/fault_proxy.h"

namespace holdfast::test {

struct BadLine {
  using Open = std::function<Client(std::chrono::milliseconds ttl)>;
  using HasClaims =
      std::function<testing::AssertionResult(const engine::Address&, std::size_t)>;

  FaultProxy& line;
  Open open;             // through the proxy
  Open open_directly;    // past the proxy
  HasClaims has_claims;  // waits until the server has this number of claims
};

}  // namespace holdfast::test

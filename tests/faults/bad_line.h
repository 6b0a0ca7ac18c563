// tests/faults/bad_line.h - an engine that is reached over a line that fails.

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
  Open open;             // over the line
  Open open_directly;    // past it
  HasClaims has_claims;  // whether so many are stored there, or soon will be
};

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/run_hold.h - what is kept while the command runs.

#pragma once

#include <chrono>
#include <stop_token>
#include <utility>

#include "holdfast/hold.h"
#include "holdfast/result.h"

namespace holdfast::cli {

// The members have the names and the meaning of those of a Hold.
class RunHold {
 public:
  RunHold() = default;
  RunHold(const RunHold&) = delete;
  RunHold& operator=(const RunHold&) = delete;
  virtual ~RunHold() = default;

  virtual FencingToken token() const noexcept = 0;
  virtual std::stop_token lost() const noexcept = 0;
  virtual std::chrono::nanoseconds valid_for() const noexcept = 0;
  virtual Result<void> release() noexcept = 0;

  bool valid() const noexcept { return valid_for() > std::chrono::nanoseconds::zero(); }
};

// This is a lock or a permit.
class LockRunHold final : public RunHold {
 public:
  explicit LockRunHold(Hold hold) noexcept : hold_(std::move(hold)) {}

  FencingToken token() const noexcept override { return hold_.token(); }
  std::stop_token lost() const noexcept override { return hold_.lost(); }
  std::chrono::nanoseconds valid_for() const noexcept override {
    return hold_.valid_for();
  }
  Result<void> release() noexcept override { return hold_.release(); }

 private:
  Hold hold_;
};

}  // namespace holdfast::cli

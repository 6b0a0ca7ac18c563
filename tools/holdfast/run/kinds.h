// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/kinds.h - the options that choose what kind of lock is taken.

#pragma once

#include "run/run_options.h"

namespace holdfast::cli {

// If none of them is given, the lock is a mutex.
class Kinds {
 public:
  void add_to(CLI::App& app, std::uint32_t& permits);
  void choose(RunOptions& options) const;

 private:
  bool exclusive_ = false;
  bool read_ = false;
  bool write_ = false;
  bool fair_ = false;
};

}  // namespace holdfast::cli

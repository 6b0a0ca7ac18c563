// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/startup.h - all that must be there before a command can be run:
// the signals are ours, and the watchdog stands by.

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "holdfast/client.h"
#include "run/descriptor.h"
#include "run/run_hold.h"
#include "run/run_options.h"
#include "run/watchdog.h"

namespace holdfast::cli {

class Startup {
 public:
  // `options` must outlive the object. Throws std::system_error or std::runtime_error.
  // REQUIRES: no other thread exists, so there is no client yet.
  explicit Startup(const RunOptions& options);

  // Opens the client that the options choose, with this run's identity.
  Result<Client> open_client() const;

  // Returns what other clients see of this run.
  std::string payload() const;

  int signals() const noexcept { return signals_.get(); }  // a signalfd

  // Runs the command while `held` is held, and returns the exit code when everything
  // has ended.
  int run(RunHold& held, const Client& client);

 private:
  // The order matters: the watchdog must not be among the spared children, and it
  // inherits the signals.
  const RunOptions& options_;
  const std::vector<pid_t> spared_;
  sigset_t passed_on_{};
  const Inherited inherited_;
  const Descriptor signals_;
  Watchdog watchdog_;
};

}  // namespace holdfast::cli

// tools/holdfast/run/waiting.h - waits for the lock, until a signal says to stop.

#pragma once

#include "holdfast/client.h"
#include "holdfast/hold.h"
#include "holdfast/result.h"
#include "run/run_options.h"

namespace holdfast::cli {

struct Wait {
  Result<Hold> hold;
  int signal = 0;  // that ended the wait
};

// `signals` is a signalfd.
Wait wait_for_lock(const Client& client, const RunOptions& options, int signals);

}  // namespace holdfast::cli

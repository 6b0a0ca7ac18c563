// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/interrupt.h - a wait that a signal may end.
//
//   const Descriptor signals = catch_signals();
//   const int number = until_signal(signals.get(), [&](const std::stop_token& stop) {
//     open = latch.wait({.stop = stop});
//   });

#pragma once

#include <functional>
#include <stop_token>

#include "holdfast/result.h"
#include "run/descriptor.h"

namespace holdfast::cli {

// Returns a signalfd of the signals that `run` passes on: they no longer end the
// process by themselves. REQUIRES: no other thread exists.
Descriptor catch_signals();

// Returns the next caught signal that asks for an end, or zero.
int next_signal(int signals);

// Returns when `work` does: the signal that came meanwhile and requested the stop, or
// zero if none came.
int until_signal(int signals, const std::function<void(const std::stop_token&)>& work);

// Does the same for work that may fail: says why, and returns the exit code.
int wait_or_say(int signals,
                const std::function<Result<void>(const std::stop_token&)>& work);

}  // namespace holdfast::cli

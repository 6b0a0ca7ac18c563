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

// A signalfd of those that `run` passes on: they end nothing by themselves any more.
// REQUIRES: no other thread exists.
Descriptor catch_signals();

// The next one that was caught, unless there is none or it does not ask for an end.
int next_signal(int signals);

// Returns when `work` does. The signal that came meanwhile, and requested the stop;
// zero: none did.
int until_signal(int signals, const std::function<void(const std::stop_token&)>& work);

// The same for work that succeeds or says why not: the exit code, after a sentence.
int wait_or_say(int signals,
                const std::function<Result<void>(const std::stop_token&)>& work);

}  // namespace holdfast::cli

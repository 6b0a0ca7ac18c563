// SPDX-License-Identifier: Apache-2.0

// base/thread.h - threads that never run a signal handler.

#pragma once

#include <functional>
#include <thread>

namespace holdfast::base {

// Starts `body` with every signal blocked. `name` shows in ps and debuggers and has at
// most 15 bytes.
std::thread start_thread(const char* name, std::function<void()> body);

}  // namespace holdfast::base

// base/thread.h - threads that no signal handler ever runs on.

#pragma once

#include <functional>
#include <thread>

namespace holdfast::base {

// Starts `body` with every signal blocked. `name` shows in ps and debuggers; at most 15
// bytes.
std::thread start_thread(const char* name, std::function<void()> body);

}  // namespace holdfast::base

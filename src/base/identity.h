// SPDX-License-Identifier: Apache-2.0

// base/identity.h - describes this process and thread to the clients that wait for
// them.

#pragma once

#include <string>
#include <string_view>

namespace holdfast::base {

// Returns "host:pid:program", without control characters.
std::string process_identity();

// Returns the thread's name and number, such as "worker 4711", as ps and debuggers show
// them.
const std::string& thread_identity();

// Returns `payload` with this thread's innermost `LockReason`, or an empty text if
// there is none.
std::string payload_with_reason(std::string_view payload);

}  // namespace holdfast::base

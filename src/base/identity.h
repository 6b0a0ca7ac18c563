// base/identity.h - who we are, for those who wait for us.

#pragma once

#include <string>
#include <string_view>

namespace holdfast::base {

// "host:pid:program", without control characters.
std::string process_identity();

// "worker 4711": the thread's name and number, by which ps and debuggers know it.
const std::string& thread_identity();

// `payload` with what this thread's innermost `LockReason` says; empty: there is none.
std::string payload_with_reason(std::string_view payload);

}  // namespace holdfast::base

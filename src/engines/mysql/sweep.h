// engines/mysql/sweep.h - removes what is left of names that nobody uses.

#pragma once

#include <chrono>
#include <cstdint>

#include "engines/mysql/backend.h"

namespace holdfast::mysql {

// As engine::Session::sweep.
Result<std::uint64_t> sweep(Backend& backend, std::chrono::seconds unused_for,
                            engine::Deadline until);

}  // namespace holdfast::mysql

// SPDX-License-Identifier: Apache-2.0

// core/engine_library.h - the libraries of the engines that a program is not linked
// with.
//
// They are in the folder that the core's own library was loaded from, and are looked
// for nowhere else: neither LD_LIBRARY_PATH nor the current folder decides what code a
// URL runs. A core that is linked in statically loads none.

#pragma once

#include <string>

#include "base/engine_entry.h"
#include "holdfast/result.h"

namespace holdfast::core {

// Loads the library of `engine`, for good, and returns the engine's entry. The entry is
// the same each time. Errc::no_engine: there is no such library, and the text says what
// to install; or it cannot be loaded, and the text says why.
Result<const base::EngineEntry*> load_engine(const std::string& engine);

// Returns whether the library of `engine` is where load_engine looks for it.
bool is_installed(const std::string& engine);

}  // namespace holdfast::core

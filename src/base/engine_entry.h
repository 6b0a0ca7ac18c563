// SPDX-License-Identifier: Apache-2.0

// base/engine_entry.h - what an engine tells the core about itself.
//
//   extern "C" const base::EngineEntry* holdfast_redis_engine_v0() noexcept;
//
// The library of an engine exports one such function, and nothing else. Its number
// changes with this struct. A core finds it in the program, if the program was linked
// with the engine, or else in the engine's library, which it then loads.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/uri.h"
#include "holdfast/engine/session.h"

namespace holdfast::base {

struct EngineEntry {
  // Errc::bad_url names the part of the URL that the engine has no use for.
  Result<std::unique_ptr<engine::Engine>> (*make)(const Uri& uri);

  // The names of the engine's options, in URL and configuration file.
  std::vector<std::string_view> (*option_names)();

  // The script that creates the engine's tables; null if it needs none.
  std::string_view (*schema)() noexcept = nullptr;
};

}  // namespace holdfast::base

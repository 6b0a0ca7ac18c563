// SPDX-License-Identifier: Apache-2.0

// engines/local/engine.h - locks between the processes of one host, without a server.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/engine_entry.h"
#include "base/uri.h"
#include "holdfast/engine/session.h"
#include "holdfast/export.h"
#include "holdfast/result.h"

namespace holdfast::local {

// Errc::bad_url names the part that is wrong: engines/local/options.h explains the URL.
Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri);

// Returns the names of the engine's options.
std::vector<std::string_view> option_names();

}  // namespace holdfast::local

// This is what the core knows of the engine. It needs no client library, so the core
// has it.
extern "C" HOLDFAST_EXPORT const holdfast::base::EngineEntry*
holdfast_local_engine_v0() noexcept;

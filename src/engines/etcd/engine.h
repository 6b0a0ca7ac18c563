// SPDX-License-Identifier: Apache-2.0

// engines/etcd/engine.h - locks between hosts, in the keys of Go's concurrency package.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/engine_entry.h"
#include "base/uri.h"
#include "holdfast/engine/session.h"
#include "holdfast/export.h"

namespace holdfast::etcd {

// Makes the engine of
// etcd://[user:password@]h1[:2379],h2,h3[/prefix][?option=value&...]
Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri);

// Returns the names of the options, in URL and config file.
std::vector<std::string_view> option_names();

}  // namespace holdfast::etcd

// This is the one function that the engine's library exports.
extern "C" HOLDFAST_EXPORT const holdfast::base::EngineEntry*
holdfast_etcd_engine_v0() noexcept;

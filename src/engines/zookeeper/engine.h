// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/engine.h - locks between hosts, in Curator's znodes.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/engine_entry.h"
#include "base/uri.h"
#include "holdfast/engine/session.h"
#include "holdfast/export.h"

namespace holdfast::zookeeper {

// Takes zookeeper://[user:password@]h1[:2181],h2,h3[/chroot][?option=value&...].
Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri);

// Returns the names of the options, in URL and config file.
std::vector<std::string_view> option_names();

}  // namespace holdfast::zookeeper

// This is the one function that the engine's library exports.
extern "C" HOLDFAST_EXPORT const holdfast::base::EngineEntry*
holdfast_zookeeper_engine_v0() noexcept;

// SPDX-License-Identifier: Apache-2.0

// engines/mysql/engine.h - locks between hosts, in the tables of a database.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/engine_entry.h"
#include "base/uri.h"
#include "holdfast/engine/session.h"
#include "holdfast/export.h"

namespace holdfast::mysql {

// Makes the engine of mysql://[user[:password]@]host[:3306]/database[?option=value&...]
Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri);

// Returns the script that creates the tables.
std::string_view schema() noexcept;

// Returns the names of the options, in URL and config file.
std::vector<std::string_view> option_names();

}  // namespace holdfast::mysql

// This is the one function that the engine's library exports.
extern "C" HOLDFAST_EXPORT const holdfast::base::EngineEntry*
holdfast_mysql_engine_v0() noexcept;

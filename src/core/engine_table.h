// SPDX-License-Identifier: Apache-2.0

// core/engine_table.h - makes the engine that a URL names.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/uri.h"
#include "holdfast/engine/session.h"

namespace holdfast::core {

// Errc::no_engine means that there is no such engine, that this build does not have it,
// or that its library is not installed. Errc::bad_url means that the engine does not
// understand a part of the URL.
Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri);

// Returns the error about an engine that this build does not have. It says what to
// install and with which option to build.
Failure not_built_in(const std::string& scheme);

// Returns the names of the engine's options, as they are in a URL or a config file.
std::vector<std::string_view> option_names(std::string_view scheme);

// Returns the engines that are linked in or whose library is installed, separated by
// spaces. The list is made once.
std::string_view available_engines() noexcept;

}  // namespace holdfast::core

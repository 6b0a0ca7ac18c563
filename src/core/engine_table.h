// core/engine_table.h - which engine a URL means.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/uri.h"
#include "holdfast/engine/session.h"

namespace holdfast::core {

// Errc::no_engine: there is no such engine, or this build does not have it.
// Errc::bad_url: the engine has no use for a part of it.
Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri);

// What is said of an engine that this build does not have: what to install, and with
// which option to build.
Failure not_built_in(const std::string& scheme);

// Of the engine with this scheme, by their names in URL and config file.
std::vector<std::string_view> option_names(std::string_view scheme);

// Separated by spaces.
std::string_view built_in_engines() noexcept;

}  // namespace holdfast::core

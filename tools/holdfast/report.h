// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/report.h - holders and waiters, for a person and for a program.
//
// The keys of the JSON are stable; docs/cli.md lists them.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "holdfast/engine/claim.h"
#include "json.h"
#include "resource_status.h"
#include "say.h"

namespace holdfast::cli {

// Returns "web-07 pid 4121 (report.sh)" or, without a payload, the owner as the engine
// spells it.
std::string who(const engine::Entry& entry);

// Returns "2026-08-21 03:00:02Z (12m ago)".
std::string since(std::chrono::system_clock::time_point then);

// Returns "2026-08-21T03:00:02Z".
std::string iso_time(std::chrono::system_clock::time_point then);

// Says who holds it and since when; on a terminal also how many wait, and how to free
// it. `arguments` are those that choose the engine.
ErrorReport conflict(const ResourceStatus& status, std::string_view arguments,
                     int exit_code);

std::string table_text(std::span<const ResourceStatus> statuses);
std::string detail_text(const ResourceStatus& status);

void write_json(Json& json, const ResourceStatus& status);

}  // namespace holdfast::cli

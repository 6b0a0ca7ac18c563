// SPDX-License-Identifier: Apache-2.0

// engines/etcd/listing.h - what is stored, as observers see it: names and claims.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engines/etcd/backend.h"
#include "engines/etcd/grant_times.h"

namespace holdfast::etcd {

// Does what engine::Session::list does. Keys that Holdfast does not use are left out.
Result<engine::Page> list_names(Backend& backend, std::string_view prefix,
                                std::string_view from, engine::Deadline until);

// Does what engine::Resource::survey does, for the keys that begin with `below`.
Result<std::vector<engine::Entry>> survey_claims(Backend& backend, engine::Kind kind,
                                                 const std::string& below,
                                                 const GrantTimes& grant_times,
                                                 std::size_t limit,
                                                 engine::Deadline until);

}  // namespace holdfast::etcd

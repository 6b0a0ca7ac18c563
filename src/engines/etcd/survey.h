// SPDX-License-Identifier: Apache-2.0

// engines/etcd/survey.h - the claims of one resource, as an observer sees them.

#pragma once

#include <string>
#include <vector>

#include "engines/etcd/backend.h"
#include "engines/etcd/grant_times.h"

namespace holdfast::etcd {

// As engine::Resource::survey, for the keys that begin with `below`.
Result<std::vector<engine::Entry>> survey_claims(Backend& backend, engine::Kind kind,
                                                 const std::string& below,
                                                 const GrantTimes& grant_times,
                                                 std::size_t limit,
                                                 engine::Deadline until);

}  // namespace holdfast::etcd

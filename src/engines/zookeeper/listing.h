// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/listing.h - the names of what is stored.

#pragma once

#include <string_view>

#include "engines/zookeeper/backend.h"

namespace holdfast::zookeeper {

// Does what engine::Session::list does. With ?names=raw the directories are walked.
Result<engine::Page> list_names(Backend& backend, std::string_view prefix,
                                std::string_view from, engine::Deadline until);

}  // namespace holdfast::zookeeper

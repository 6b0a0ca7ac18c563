// engines/zookeeper/listing.h - what is there, by name.

#pragma once

#include <string_view>

#include "engines/zookeeper/backend.h"

namespace holdfast::zookeeper {

// As engine::Session::list. With ?names=raw directories are walked.
Result<engine::Page> list_names(Backend& backend, std::string_view prefix,
                                std::string_view from, engine::Deadline until);

}  // namespace holdfast::zookeeper

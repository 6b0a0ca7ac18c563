// engines/etcd/listing.h - what is there, by name.

#pragma once

#include <string_view>

#include "engines/etcd/backend.h"

namespace holdfast::etcd {

// As engine::Session::list. Keys that are nobody's of ours are passed over.
Result<engine::Page> list_names(Backend& backend, std::string_view prefix,
                                std::string_view from, engine::Deadline until);

}  // namespace holdfast::etcd

// SPDX-License-Identifier: Apache-2.0

// engines/etcd/listing.h - the names of what is stored.

#pragma once

#include <string_view>

#include "engines/etcd/backend.h"

namespace holdfast::etcd {

// As engine::Session::list. Keys that Holdfast does not use are left out.
Result<engine::Page> list_names(Backend& backend, std::string_view prefix,
                                std::string_view from, engine::Deadline until);

}  // namespace holdfast::etcd

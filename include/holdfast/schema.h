// SPDX-License-Identifier: Apache-2.0

// holdfast/schema.h - the tables that an engine needs in its database.
//
//   std::cout << holdfast::schema("mysql").value();   // for an operator
//
// The text is that of `holdfast schema mysql`. A client creates the tables on first use
// where it has the right to. Where it has not, an administrator runs this script once.

#pragma once

#include <string_view>

#include "holdfast/export.h"
#include "holdfast/result.h"

namespace holdfast::inline v0 {

// Returns the SQL script for `engine`, which is the scheme of a URL. Errc::no_engine:
// there is no such engine in this build. Errc::unsupported: the engine needs no tables.
HOLDFAST_EXPORT Result<std::string_view> schema(std::string_view engine);

}  // namespace holdfast::inline v0

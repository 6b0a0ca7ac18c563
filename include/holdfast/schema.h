// holdfast/schema.h - the tables that an engine wants in its database.
//
//   std::cout << holdfast::schema("mysql").value();   // for whoever may create tables
//
// The same as `holdfast schema mysql`. A client creates them on first use where it is
// allowed to; where it is not, whoever is runs this script once.

#pragma once

#include <string_view>

#include "holdfast/export.h"
#include "holdfast/result.h"

namespace holdfast {

// `engine` is a URL's scheme. Errc::no_engine: not built in. Errc::unsupported: it
// needs no tables.
HOLDFAST_EXPORT Result<std::string_view> schema(std::string_view engine);

}  // namespace holdfast

// SPDX-License-Identifier: Apache-2.0

// engines/mysql/transport/connect.h - connects the client library to a server.

#pragma once

#include <mysql.h>

#include <memory>

#include "engines/mysql/options.h"
#include "holdfast/engine/claim.h"
#include "holdfast/result.h"

namespace holdfast::mysql {

using Handle = std::unique_ptr<MYSQL, decltype(&mysql_close)>;

// Connects to `host`, or to the socket of the options if it is null.
Result<Handle> connect_to(const Options& options, const base::Host* host,
                          engine::Deadline until);

}  // namespace holdfast::mysql

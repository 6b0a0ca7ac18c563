// engines/mysql/engine.h - locks between hosts, in the tables of a database.

#pragma once

#include <memory>

#include "base/uri.h"
#include "holdfast/engine/session.h"

namespace holdfast::mysql {

// mysql://[user[:password]@]host[:3306]/database[?option=value&...]
Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri);

}  // namespace holdfast::mysql

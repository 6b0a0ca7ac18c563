// engines/local/engine.h - locks between the processes of one host, without a server.

#pragma once

#include <memory>
#include <string>

#include "holdfast/engine/session.h"
#include "holdfast/result.h"

namespace holdfast::local {

// `path` names the segment's file; empty: /dev/shm/holdfast-<uid>.
Result<std::unique_ptr<engine::Engine>> make_engine(std::string path);

}  // namespace holdfast::local

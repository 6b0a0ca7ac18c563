// engines/local/neighbours.h - other users who lock in segments of their own.

#pragma once

#include <string>
#include <vector>

namespace holdfast::local {

// A sentence for a user who has chosen neither a path nor a scope while another user
// has a segment, too: the two may take themselves for alone with a name. Nothing if
// there is no such user.
std::vector<std::string> warn_of_neighbours();

}  // namespace holdfast::local

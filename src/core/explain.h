// SPDX-License-Identifier: Apache-2.0

// core/explain.h - tells people why a name could not be had.

#pragma once

#include <string>

#include "core/bound_resource.h"
#include "holdfast/admin.h"
#include "holdfast/timeout.h"

namespace holdfast::core {

// lock "stock/1001" is held by web-07:4121:report for 12 s (token 184)
//
// If the holder gave a `LockReason`, it follows the program: `, thread worker 4122, in
// restock at stock.cc:42, for "nightly run", for ...`.
//
// Returns Errc::timed_out with this sentence. Asks the engine, and says less if that
// does not answer within half a second, or has just not answered another call of this
// client, or if there is no memory.
Failure explain_timeout(const BoundResource& bound, Timeout wait) noexcept;

// "stock/1001" is in use as a mutex, held by web-07:4121:report for 12 s (token 184)
// REQUIRES: it is in use.
std::string describe_use(const ResourceState& state);

// Returns an error that says which kind the name is, its value, and what to do about
// it. Returns `why` itself if it is another error than Errc::wrong_kind, or if the
// engine does not answer within half a second.
Failure explain_wrong_kind(engine::Session& session, const engine::Address& wanted,
                           const Failure& why);
Failure explain_wrong_kind(const BoundResource& bound, const Failure& why);

}  // namespace holdfast::core

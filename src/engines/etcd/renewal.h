// engines/etcd/renewal.h - the lease, and what hangs on it.

#pragma once

#include <span>

#include "engines/etcd/backend.h"

namespace holdfast::etcd {

// As engine::Session::renew: keeps the lease alive, and looks whether the keys of these
// claims are still ours. One that is held for so long is listened to from then on.
Result<void> renew_all(Backend& backend, std::span<engine::ClaimRef> refs,
                       engine::Deadline until);

}  // namespace holdfast::etcd

// SPDX-License-Identifier: Apache-2.0

// engines/etcd/renewal.h - keeps the claims of a session.

#pragma once

#include <span>

#include "engines/etcd/backend.h"

namespace holdfast::etcd {

// Does what engine::Session::renew does: keeps the session's lease alive and checks
// that the keys of these claims still exist. From its first renewal on, the key of a
// claim is watched.
Result<void> renew_all(Backend& backend, std::span<engine::ClaimRef> refs,
                       engine::Deadline until);

}  // namespace holdfast::etcd

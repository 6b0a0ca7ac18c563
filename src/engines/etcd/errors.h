// SPDX-License-Identifier: Apache-2.0

// engines/etcd/errors.h - the statuses of gRPC as failures of ours.

#pragma once

#include <string>

#include "base/common_failures.h"
#include "engines/etcd/options.h"
#include "holdfast/result.h"

namespace grpc {
class Status;
}

namespace holdfast::etcd {

// Returns whether the request was certainly not sent, because there is no connection.
bool is_unsent(const grpc::Status& status) noexcept;

// Returns whether another member may be able to answer.
bool is_of_this_member(const grpc::Status& status) noexcept;

// Returns whether the token has expired, or the users have changed since it was issued.
bool needs_new_token(const grpc::Status& status) noexcept;

// The lease of a session has ended. `server` is spelt as "etcd at h1:2379".
Failure lease_ended(const std::string& server);

// `where` names the server. Errc::not_held: the lease has ended.
Failure failure_of(const grpc::Status& status, const std::string& where);

// Returns whether the server knows the user, and refuses this request.
bool is_about_rights(const Failure& why);

// Returns what to try if the connection was closed during the handshake, or nothing.
std::string hint_about_tls(const grpc::Status& status, const base::TlsOptions& tls);

// These are failures for a name whose key is `key`.
using base::used_by_another_kind;
Failure locked_otherwise(const std::string& key);

// Another client has put the key of a claim of ours. Errc::wrong_kind.
Failure taken_by_another_client(const std::string& key);

}  // namespace holdfast::etcd

// engines/etcd/errors.h - what went wrong with a call.

#pragma once

#include <string>

#include "base/common_failures.h"
#include "engines/etcd/options.h"
#include "holdfast/result.h"

namespace grpc {
class Status;
}

namespace holdfast::etcd {

// It was surely not sent: there is no connection.
bool is_unsent(const grpc::Status& status) noexcept;

// Another member may do better.
bool is_of_this_member(const grpc::Status& status) noexcept;

// A token has run out, or the users have changed since it was given.
bool needs_new_token(const grpc::Status& status) noexcept;

// Errc::not_held: the lease is over.
Failure failure_of(const grpc::Status& status, const std::string& where);

// We are known, and may not do this.
bool is_about_rights(const Failure& why);

// What may be the matter when a connection ends before it has begun; or nothing.
std::string hint_about_tls(const grpc::Status& status, const base::TlsOptions& tls);

// For a name at `key`.
using base::used_by_another_kind;
Failure locked_otherwise(const std::string& key);

}  // namespace holdfast::etcd

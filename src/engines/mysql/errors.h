// SPDX-License-Identifier: Apache-2.0

// engines/mysql/errors.h - what the error numbers of the client library mean.

#pragma once

#include <string>

#include "holdfast/result.h"

namespace holdfast::mysql {

// Returns whether the connection cannot be used any more.
bool is_cut(unsigned error) noexcept;

// Returns whether the statement was rolled back in favour of another one, and may be
// sent again.
bool is_in_the_way(unsigned error) noexcept;

bool is_no_table(unsigned error) noexcept;

// Returns whether the server does not have GET_LOCK.
bool has_no_bells(unsigned error) noexcept;

// These explain why a statement failed, and why no connection was made. `text` is what
// the library says, `server` is spelt as "MySQL at host:port", and `where` is the
// address alone. A call that `is_late` was cut off at its deadline.
Failure why_failed(unsigned error, const std::string& text, const std::string& server,
                   bool is_late);
Failure why_not_connected(unsigned error, const std::string& text,
                          const std::string& where);

// Errc::denied.
Failure has_no_tls(const std::string& where);

// A claim cannot be changed while a thread waits for its bell in GET_LOCK.
Failure still_waiting(const std::string& name, Errc code = Errc::outcome_unknown);

}  // namespace holdfast::mysql

// engines/mysql/errors.h - what the server's errors mean here.

#pragma once

#include <string>

#include "holdfast/result.h"

namespace holdfast::mysql {

// After it the connection is of no use.
bool is_cut(unsigned error) noexcept;

// It was rolled back for another statement's sake, and may be sent again.
bool is_in_the_way(unsigned error) noexcept;

bool is_no_table(unsigned error) noexcept;

// GET_LOCK is not to be had from this server.
bool has_no_bells(unsigned error) noexcept;

// Of a statement, or of a connection that was not made; `text` is the server's own.
Failure why_failed(unsigned error, const std::string& text);
Failure why_not_connected(unsigned error, const std::string& text,
                          const std::string& where);

// A claim cannot be changed while its listener is in GET_LOCK.
Failure still_listening(const std::string& name, Errc code = Errc::outcome_unknown);

}  // namespace holdfast::mysql

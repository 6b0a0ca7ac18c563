// SPDX-License-Identifier: Apache-2.0

// base/common_failures.h - failures that several engines or primitives have, in one
// spelling.
//
// Each is a sentence that names the resource and says what to do. `subject` names the
// resource as the engine's users know it: "\"stock\"", a path of ZooKeeper, a key of
// etcd. `server` is spelt as "Redis at 10.0.0.1:6379". tests/unit/base has a table of
// all of them.

#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "holdfast/hold.h"
#include "holdfast/result.h"

namespace holdfast::base {

std::string in_quotes(std::string_view name);

Failure used_by_another_kind(const std::string& subject);  // Errc::wrong_kind

// Errc::unsupported: a claim cannot be amended to more than it is.
Failure cannot_grow(const std::string& subject);
// A caller that would wait for itself is told so by Errc::would_deadlock.
Failure reader_cannot_write(const std::string& subject, Errc code = Errc::unsupported);

// Errc::bad_argument: waiting would be in vain.
Failure too_many_permits(const std::string& subject, std::uint32_t wanted,
                         std::int64_t capacity);
Failure number_does_not_fit(const std::string& subject);
Failure token_too_far_ahead(const std::string& subject);

// What a fence refuses: Errc::bad_argument and Errc::stale_token. `fence` is how the
// sentence names it, as in "the fence \"/var/lib/app/fence\"".
Failure empty_token(const std::string& fence);
Failure stale_token(const std::string& fence, FencingToken token, FencingToken highest);

// Errc::not_held: a hold was lost before it was given back; a hold that was lost or
// given back is to be changed; a thread whose hold was lost wants to enter it again.
Failure lost_before_release(const std::string& subject);
Failure no_longer_held(std::string_view name) noexcept;
Failure lost_and_not_left(const std::string& subject);

// Errc::bad_argument: more permits are to be released than the `held` ones.
Failure fewer_are_held(std::string_view name, std::uint32_t held) noexcept;

// Errc::not_held: a candidate that does not lead is to resign or to proclaim.
Failure does_not_lead(std::string_view name) noexcept;

// Errc::not_held: a hold without a lease is to be changed.
Failure empty_hold() noexcept;

// Errc::not_owner: a thread, or the Owner of an asynchronous call, gives back `name`,
// which it does not hold.
Failure not_the_owner(std::string_view name) noexcept;

// Errc::cancelled: the caller's stop_token ended the wait for `name`.
Failure wait_cancelled(std::string_view name) noexcept;

// Errc::outcome_unknown: the engine did not answer when a hold was given back.
Failure release_not_confirmed(const std::string& subject);

// Errc::unavailable: no conditional change went through in time.
Failure changed_by_others(const std::string& subject);

// A claim that was dropped is attempted again.
Failure was_given_up(const std::string& subject, Errc code = Errc::not_held);

// Errc::unavailable: no connection was made. `why` is what the system or the client
// library says about it.
Failure cannot_reach(const std::string& server, const std::string& why);

// A server did not answer by the deadline, or the connection to it ended before it had
// answered. `code` is Errc::outcome_unknown if the request was sent, else
// Errc::unavailable; `said` is what the system or the client library says about it.
Failure not_answered(const std::string& server, Errc code,
                     const std::string& said = {});
Failure connection_lost(const std::string& server, Errc code,
                        const std::string& said = {});

// Errc::incompatible: what answers at `address`, such as "10.0.0.1:6379", is no `kind`
// of server, such as "Redis".
Failure answers_otherwise(const std::string& address, const std::string& kind);

// Errc::incompatible: a server gives an answer that it should not.
Failure unknown_answer(const std::string& server, const std::string& said);

// Errc::denied: a server refuses the user of the URL, or has a certificate that the
// client does not trust.
Failure user_refused(const std::string& server, const std::string& said);
Failure not_trusted(const std::string& server, const std::string& said);

// Errc::closed: the session with a server has ended, because its client was closed.
Failure session_closed(const std::string& server);

// Errc::closed and Errc::forked: what the client cannot be used for any more is asked
// for `name`. Without a name the code says it.
Failure client_closed(std::string_view name) noexcept;
Failure client_forked(std::string_view name) noexcept;

// Errc::outcome_unknown: the session in which a change was sent ended before the server
// answered; a change was sent, and `why` tells why there is no answer.
Failure session_ended_unanswered(const std::string& subject, const std::string& server);
Failure change_in_doubt(const std::string& subject, const std::string& why);

// Errc::full: the system gives no thread `to` do something, as in "renew \"stock\"".
Failure no_thread(const std::string& to);

// Errc::full: there is no memory `to` do something, as in "read from Redis at ...".
// `code` is Errc::outcome_unknown if a request was sent before.
Failure no_memory(std::string_view to, std::string_view what = {},
                  Errc code = Errc::full) noexcept;

// Errc::full: `thrown` ended an attempt `to` do something, as "acquire", with `name`,
// which may be empty. It is std::bad_alloc, what std::thread throws if there is no
// thread, or says itself what is missing.
Failure out_of_resources(const std::exception& thrown, std::string_view to,
                         std::string_view name = {}) noexcept;

// Errc::denied. `file` is "\"/etc/app/ca.pem\"", or has its purpose before it.
Failure cannot_read(const std::string& file);

}  // namespace holdfast::base

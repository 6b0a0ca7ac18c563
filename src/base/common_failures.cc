// SPDX-License-Identifier: Apache-2.0

#include "base/common_failures.h"

#include <new>
#include <system_error>

namespace holdfast::base {
namespace {

// Where there is no memory for the sentence, the code has to do.
template <class Sentence>
Failure explained(Errc code, const Sentence& sentence) noexcept {
  try {
    return {code, sentence()};
  } catch (const std::exception&) {
    return code;
  }
}

constexpr const char* kCheckServer = "check that it runs and can be reached";
constexpr const char* kOpenAnother = " was closed: open another one";

std::string in_brackets(const std::string& said) {
  return said.empty() ? said : " (" + said + ")";
}

}  // namespace

std::string in_quotes(std::string_view name) { return "\"" + std::string(name) + "\""; }

Failure used_by_another_kind(const std::string& subject) {
  return {Errc::wrong_kind,
          subject + " is in use by another kind of primitive: use another name"};
}

Failure cannot_grow(const std::string& subject) {
  return {Errc::unsupported, "a claim on " + subject +
                                 " can be made smaller, not larger: release it and "
                                 "acquire more"};
}

Failure reader_cannot_write(const std::string& subject, Errc code) {
  return {code, "a reader of " + subject +
                    " cannot become its writer: release it and lock for writing"};
}

Failure too_many_permits(const std::string& subject, std::uint32_t wanted,
                         std::int64_t capacity) {
  const std::string most = std::to_string(capacity);
  const std::string remedy =
      capacity > 0 ? "ask for at most " + most + ", or set a larger number with"
                   : "set their number first, with";
  return {Errc::bad_argument, subject + " will never have " + std::to_string(wanted) +
                                  " permits, it has " + most + ": " + remedy +
                                  " Semaphore::set_permits or `holdfast semaphore`"};
}

Failure number_does_not_fit(const std::string& subject) {
  return {Errc::bad_argument, "the change would overflow the 64 bits of " + subject +
                                  ", so nothing was changed: change it by less"};
}

Failure token_too_far_ahead(const std::string& subject) {
  return {
      Errc::bad_argument,
      "a token for " + subject +
          " was named that is more than an hour ahead of the server's clock: set the "
          "clocks of this host and of the server"};
}

Failure empty_token(const std::string& fence) {
  return {Errc::bad_argument, fence +
                                  " cannot admit an empty token: show the token of a "
                                  "hold, on an engine that has tokens"};
}

Failure stale_token(const std::string& fence, FencingToken token,
                    FencingToken highest) {
  return {Errc::stale_token, "token " + std::to_string(token.value) + " is stale: " +
                                 fence + " has seen " + std::to_string(highest.value) +
                                 "; acquire the lock again before you go on"};
}

Failure lost_before_release(const std::string& subject) {
  return {Errc::not_held, "the hold of " + subject +
                              " was lost before it was released, and another client "
                              "may have had it since: treat what was done under it as "
                              "unprotected, unless it was fenced"};
}

Failure no_longer_held(std::string_view name) noexcept {
  return explained(Errc::not_held, [&] {
    return in_quotes(name) +
           " is no longer held, because it was lost or released: acquire it again";
  });
}

Failure lost_and_not_left(const std::string& subject) {
  return {Errc::not_held,
          "the hold of " + subject + " was lost; unlock every level of it first"};
}

Failure fewer_are_held(std::string_view name, std::uint32_t held) noexcept {
  return explained(Errc::bad_argument, [&] {
    return "only " + std::to_string(held) + " permits of " + in_quotes(name) +
           " are held: release no more than these";
  });
}

Failure does_not_lead(std::string_view name) noexcept {
  return explained(Errc::not_held, [&] {
    return "this candidate does not lead " + in_quotes(name) +
           ": campaign, and wait until it leads";
  });
}

Failure empty_hold() noexcept {
  return explained(Errc::not_held, [] {
    return "the hold is empty, because it was moved from, given to release_async, or "
           "never acquired: acquire it first";
  });
}

Failure not_the_owner(std::string_view name) noexcept {
  return explained(Errc::not_owner, [&] {
    return in_quotes(name) +
           " is not held by the thread or the Owner that releases it: release it where "
           "it was acquired";
  });
}

Failure wait_cancelled(std::string_view name) noexcept {
  return explained(Errc::cancelled, [&] {
    return "the wait for " + in_quotes(name) + " was cancelled by its stop_token";
  });
}

Failure release_not_confirmed(const std::string& subject) {
  return {Errc::outcome_unknown, "the engine has not confirmed that " + subject +
                                     " is released: Holdfast repeats the release "
                                     "until it has"};
}

Failure changed_by_others(const std::string& subject) {
  return {Errc::unavailable, "gave up on " + subject +
                                 ": other clients changed it at every attempt; try "
                                 "again later"};
}

Failure was_given_up(const std::string& subject, Errc code) {
  return {code, "a claim on " + subject +
                    " was given up and is attempted again: acquire it anew"};
}

Failure cannot_reach(const std::string& server, const std::string& why) {
  return {Errc::unavailable,
          "cannot reach " + server + ": " + why + "; " + kCheckServer};
}

Failure not_answered(const std::string& server, Errc code, const std::string& said) {
  return {code,
          server + " did not answer in time" + in_brackets(said) + ": " + kCheckServer};
}

Failure connection_lost(const std::string& server, Errc code, const std::string& said) {
  return {code, "the connection to " + server + " was lost" + in_brackets(said) + ": " +
                    kCheckServer};
}

Failure answers_otherwise(const std::string& address, const std::string& kind) {
  return {Errc::incompatible,
          address + " answers, but not as " + kind + " does: check the URL"};
}

Failure unknown_answer(const std::string& server, const std::string& said) {
  return {Errc::incompatible,
          server + " gives an unknown answer: " + said + "; check what runs there"};
}

Failure user_refused(const std::string& server, const std::string& said) {
  return {Errc::denied, server + " refuses: " + said +
                            "; check the user, its password and its rights"};
}

Failure not_trusted(const std::string& server, const std::string& said) {
  return {Errc::denied, "the certificate of " + server + " is not trusted: " + said +
                            "; ?ca= names the file of its authority"};
}

Failure session_closed(const std::string& server) {
  return {Errc::closed, "the client of " + server + kOpenAnother};
}

Failure client_closed(std::string_view name) noexcept {
  if (name.empty()) return Errc::closed;
  return explained(Errc::closed,
                   [&] { return "the client of " + in_quotes(name) + kOpenAnother; });
}

Failure client_forked(std::string_view name) noexcept {
  if (name.empty()) return Errc::forked;
  return explained(Errc::forked, [&] {
    return "the client of " + in_quotes(name) +
           " belongs to the parent process: open another one in the child";
  });
}

Failure session_ended_unanswered(const std::string& subject,
                                 const std::string& server) {
  return {Errc::outcome_unknown, "the session ended before " + server +
                                     " had answered a change of " + subject +
                                     "; read it before you repeat the call"};
}

Failure change_in_doubt(const std::string& subject, const std::string& why) {
  return {Errc::outcome_unknown, subject +
                                     " may have been changed: the answer was lost (" +
                                     why + "); read it before you repeat the call"};
}

Failure no_thread(const std::string& to) {
  return {Errc::full, "the system has no thread to " + to +
                          ": raise the limit of threads, or end some of them"};
}

Failure no_memory(std::string_view to, std::string_view what, Errc code) noexcept {
  return explained(code, [&] {
    return "no memory to " + std::string(to) + (what.empty() ? "" : " ") +
           std::string(what) + ": free some and try again";
  });
}

Failure out_of_resources(const std::exception& thrown, std::string_view to,
                         std::string_view name) noexcept {
  try {
    const std::string what =
        std::string(to) + (name.empty() ? "" : " " + in_quotes(name));
    if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr) return no_memory(what);
    const auto* const by_system = dynamic_cast<const std::system_error*>(&thrown);
    const bool is_thread =  // what std::thread throws
        by_system != nullptr &&
        by_system->code() == std::errc::resource_unavailable_try_again;
    return is_thread ? no_thread(what) : Failure(Errc::full, thrown.what());
  } catch (const std::exception&) {  // no memory for the sentence
    return Errc::full;
  }
}

Failure cannot_read(const std::string& file) {
  return {Errc::denied, file + " cannot be read: check the path and its rights"};
}

}  // namespace holdfast::base

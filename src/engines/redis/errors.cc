// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/errors.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/common_failures.h"

namespace holdfast::redis {
namespace {

constexpr std::size_t kMostShown = 200;

struct Meaning {
  std::string_view prefix;
  Errc code;
  std::string_view remedy;  // what is wrong and what helps; its subject is the server
};

constexpr std::string_view kUseCluster =
    "is a server of a Redis Cluster, whose URLs begin with redis+cluster://";
constexpr std::string_view kUsePrimary =
    "is a replica: the URL must lead to its primary";
constexpr std::string_view kFailover =
    "is a replica: a failover is under way, so try again later";
constexpr std::string_view kGrant =
    "does not give this user a right to a command, key or channel that is needed: "
    "grant it with ACL SETUSER";

constexpr Meaning kMeanings[] = {
    {"WRONGTYPE ", Errc::wrong_kind, {}},
    {"OOM ", Errc::full, "is out of memory: raise maxmemory, or delete keys"},
    {"READONLY ", Errc::unavailable, kUsePrimary},
    {"LOADING ", Errc::unavailable, "is loading its data: try again later"},
    {"BUSY ", Errc::unavailable,
     "is busy with a script: wait for it, or end it with SCRIPT KILL"},
    {"MASTERDOWN ", Errc::unavailable, kUsePrimary},
    {"MISCONF ", Errc::unavailable,
     "cannot save its data, and refuses to write: its log tells why"},
    {"CLUSTERDOWN ", Errc::unavailable,
     "does not serve all slots: CLUSTER INFO tells which are missing"},
    {"TRYAGAIN ", Errc::unavailable, "is moving the slot: try again later"},
    {"NOREPLICAS ", Errc::unavailable,
     "has too few replicas: start them, or lower min-replicas-to-write"},
    {"ERR max number", Errc::unavailable, "has too many clients: raise maxclients"},
    {"MOVED ", Errc::unsupported, kUseCluster},
    {"ASK ", Errc::unsupported, kUseCluster},
    {"CROSSSLOT ", Errc::unsupported, kUseCluster},
    {"NOPERM ", Errc::denied, kGrant},
    {"DENIED ", Errc::denied,
     "is in protected mode: give it a password, or let it bind to an address"},
    {"ERR The user executing the script", Errc::denied, kGrant},
    {"NOSCRIPT ", Errc::internal, {}},
};

bool is_said_by_replica(std::string_view error) noexcept {
  return error.starts_with("READONLY ") || error.starts_with("MASTERDOWN ");
}

Meaning meaning_of(std::string_view error) noexcept {
  for (const Meaning& known : kMeanings) {
    if (error.starts_with(known.prefix)) return known;
  }
  const auto says = [&](std::string_view part) {
    return error.find(part) != std::string_view::npos;
  };
  if (says("not an integer")) return {{}, Errc::wrong_kind, {}};
  if (says("would overflow")) return {{}, Errc::bad_argument, {}};
  return {{}, Errc::incompatible, {}};
}

// Returns the error itself, without the position in the script that Redis adds:
//   WRONGTYPE Operation against ... script: 0123abcd..., on @user_script:7.
//   ERR Error running script (call to f_0123abcd...): @user_script:7: WRONGTYPE ...
std::string_view bare(std::string_view error) noexcept {
  constexpr std::string_view kScript = "@user_script:";
  if (const auto at = error.rfind(" script: "); at != std::string_view::npos) {
    if (error.find(kScript, at) != std::string_view::npos) error = error.substr(0, at);
  }
  if (error.starts_with("ERR Error running script")) {
    const auto line = error.find(kScript);
    if (line == std::string_view::npos) return error;
    const auto end = error.find(": ", error.find_first_of("0123456789", line));
    if (end != std::string_view::npos) error.remove_prefix(end + 2);
  }
  return error;
}

// Returns one line for people to read, without control characters that a terminal might
// obey.
std::string shown(std::string_view text) {
  std::string line(text.substr(0, kMostShown));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return line;
}

}  // namespace

Failure failure_of(ReplyView error, const ServerName& server) {
  const std::string_view said = bare(error.text());
  const std::string line = shown(said);
  const std::string it_said = " (it said: " + line + ")";
  if (said.starts_with("NOAUTH ")) {
    return {Errc::denied, wants_password(server) + it_said};
  }
  if (said.starts_with("WRONGPASS ")) {
    Failure why = password_refused(server);
    why.context += it_said;
    return why;
  }
  Meaning meaning = meaning_of(said);
  if (server.fails_over && is_said_by_replica(said)) meaning.remedy = kFailover;
  if (meaning.code == Errc::incompatible)
    return base::unknown_answer(server.called, line);
  if (meaning.remedy.empty()) return {meaning.code, server.called + " said: " + line};
  return {meaning.code, server.called + " " + std::string(meaning.remedy) + it_said};
}

std::string wants_password(const ServerName& server, const std::string& whose) {
  const char* const how =
      server.is_sentinel
          ? "by ?sentinel_password_file= or by $HOLDFAST_SENTINEL_PASSWORD"
          : "in the URL, by ?password_file= or by $HOLDFAST_PASSWORD";
  return server.called + " wants a password" + whose + ": give it " + how;
}

Failure password_refused(const ServerName& server, const std::string& whose) {
  return base::user_refused(server.called, "the password" + whose);
}

bool is_no_script(ReplyView reply) noexcept {
  return reply.is_error() && reply.text().starts_with("NOSCRIPT ");
}

bool is_of_replica(ReplyView reply) noexcept {
  return reply.is_error() && is_said_by_replica(bare(reply.text()));
}

Failure explain_wrong_kind(Failure why, std::string_view name) {
  if (why.code != Errc::wrong_kind) return why;
  return base::used_by_another_kind(base::in_quotes(name));
}

}  // namespace holdfast::redis

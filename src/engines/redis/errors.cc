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
};
constexpr Meaning kMeanings[] = {
    {"WRONGTYPE ", Errc::wrong_kind},
    {"OOM ", Errc::full},
    {"READONLY ", Errc::unavailable},
    {"LOADING ", Errc::unavailable},
    {"BUSY ", Errc::unavailable},
    {"MASTERDOWN ", Errc::unavailable},
    {"MISCONF ", Errc::unavailable},
    {"CLUSTERDOWN ", Errc::unavailable},
    {"TRYAGAIN ", Errc::unavailable},
    {"NOREPLICAS ", Errc::unavailable},
    {"ERR max number", Errc::unavailable},
    {"MOVED ", Errc::unsupported},
    {"ASK ", Errc::unsupported},
    {"CROSSSLOT ", Errc::unsupported},
    {"NOAUTH ", Errc::denied},
    {"NOPERM ", Errc::denied},
    {"WRONGPASS ", Errc::denied},
    {"DENIED ", Errc::denied},
    {"ERR The user executing the script", Errc::denied},
    {"NOSCRIPT ", Errc::internal},
};

Errc code_of(std::string_view error) noexcept {
  for (const Meaning& known : kMeanings) {
    if (error.starts_with(known.prefix)) return known.code;
  }
  if (error.find("not an integer") != std::string_view::npos) return Errc::wrong_kind;
  if (error.find("would overflow") != std::string_view::npos) return Errc::bad_argument;
  return Errc::incompatible;
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

Failure failure_of(ReplyView error) {
  const std::string_view said = bare(error.text());
  const std::string line = shown(said);
  const Errc code = code_of(said);
  if (code == Errc::unsupported) {
    return {code,
            "this is a server of a Redis Cluster, whose URLs begin with "
            "redis+cluster:// (it said: " +
                line + ")"};
  }
  return {code, "Redis said: " + line};
}

bool is_no_script(ReplyView reply) noexcept {
  return reply.is_error() && reply.text().starts_with("NOSCRIPT ");
}

bool is_of_replica(ReplyView reply) noexcept {
  if (!reply.is_error()) return false;
  const std::string_view said = bare(reply.text());
  return said.starts_with("READONLY ") || said.starts_with("MASTERDOWN ");
}

Failure name_resource(Failure why, std::string_view name) {
  if (why.code != Errc::wrong_kind) return why;
  return base::used_by_another_kind(base::in_quotes(name));
}

}  // namespace holdfast::redis

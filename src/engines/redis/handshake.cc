#include "engines/redis/handshake.h"

#include <string.h>

#include <string>
#include <utility>
#include <vector>

#include "engines/redis/command.h"
#include "engines/redis/reply.h"
#include "engines/redis/socket.h"

namespace holdfast::redis {
namespace {

using engine::Deadline;

enum class Step { auth, select, set_name, ping };

std::vector<Step> steps_for(const Place& place) {
  std::vector<Step> steps;
  if (!place.user.empty() || !place.password.empty()) steps.push_back(Step::auth);
  if (place.db != 0) steps.push_back(Step::select);
  // One command must prove that this is Redis.
  if (steps.empty()) steps.push_back(Step::ping);
  steps.push_back(Step::set_name);
  return steps;
}

void append(std::string& out, Step step, const Place& place) {
  switch (step) {
    case Step::auth: {
      Command auth(out, place.user.empty() ? 2 : 3);
      auth.add("AUTH");
      if (!place.user.empty()) auth.add(place.user);
      auth.add(place.password.reveal());
      return;
    }
    case Step::select:
      Command(out, 2).add("SELECT").add(place.db);
      return;
    case Step::set_name:
      Command(out, 3).add("CLIENT").add("SETNAME").add(place.client_name);
      return;
    case Step::ping:
      Command(out, 1).add("PING");
      return;
  }
}

std::string redis_at(const Place& place) { return "Redis at " + place.spelt(); }

Failure denied(const Place& place) {
  const std::string who = place.user.empty() ? "" : " for user \"" + place.user + "\"";
  if (place.password.empty()) {
    return {Errc::denied, redis_at(place) + " wants a password" + who +
                              ": give it in the URL, by ?password_file= or by "
                              "$HOLDFAST_PASSWORD"};
  }
  return {Errc::denied, redis_at(place) + " does not accept the password" + who};
}

Result<void> judge(const Place& place, Step step, ReplyView reply) {
  if (!reply.is_error() || step == Step::set_name) return {};
  const std::string_view said = reply.text();
  if (said.starts_with("NOAUTH") || said.starts_with("WRONGPASS") ||
      (step == Step::auth && said.starts_with("ERR"))) {
    return denied(place);
  }
  if (step == Step::ping && said.starts_with("NOPERM")) return {};
  if (step == Step::select && said.starts_with("ERR DB index")) {
    return Failure(Errc::bad_url,
                   redis_at(place) + " has no database " + std::to_string(place.db));
  }
  const Failure why = failure_of(reply);
  return Failure(why.code, redis_at(place) + ": " + why.context);
}

Failure not_redis(const Place& place) {
  return {Errc::incompatible, place.spelt() + " answers, but not as Redis does"};
}

// A TLS server answers plain bytes with an alert or closes the connection without a
// word, and so does a server that wants a client certificate. A server that dies looks
// the same, so this is only a hint.
const char* hint(const Place& place) noexcept {
  if (!place.tls.on) return " (does it want rediss://?)";
  return place.tls.cert_file.empty() ? " (does it want ?cert= and ?key=?)" : "";
}

Failure wants_tls(const Place& place) {
  return {Errc::incompatible,
          place.spelt() + " speaks TLS: the URL must start with rediss://"};
}

Result<void> send_all(Stream& stream, const Place& place, std::string_view bytes,
                      Deadline until) {
  for (;;) {
    const auto sent = stream.give(bytes);
    if (!sent) return cannot_reach(place, sent.error().context + hint(place));
    bytes.remove_prefix(*sent);
    if (bytes.empty()) return {};
    if (!stream.await(true, until)) return cannot_reach(place, "it takes no request");
  }
}

Result<void> read_answers(Stream& stream, const Place& place,
                          const std::vector<Step>& steps, Deadline until) {
  ReplyReader reader;
  std::size_t read = 0;
  bool heard = false;
  while (read < steps.size()) {
    if (!stream.await(false, until)) return cannot_reach(place, "it does not answer");
    const auto bytes = stream.take();
    if (!bytes) {
      return cannot_reach(place, bytes.error().context + (heard ? "" : hint(place)));
    }
    if (!heard && bytes->starts_with('\x15')) return wants_tls(place);
    heard = heard || !bytes->empty();
    if (!reader.feed(*bytes)) return not_redis(place);
    for (;;) {
      const auto reply = reader.next();
      if (!reply) return not_redis(place);
      if (!*reply) break;
      if (read == steps.size()) return not_redis(place);
      if (auto fine = judge(place, steps[read++], (*reply)->view()); !fine) return fine;
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Stream>> open_stream(const Place& place, Deadline until) {
  auto stream = connect_stream(place, until);
  if (!stream) return stream;

  const auto steps = steps_for(place);
  std::string out;
  for (const Step step : steps) append(out, step, place);
  auto sent = send_all(**stream, place, out, until);
  explicit_bzero(out.data(), out.size());
  if (!sent) return std::move(sent).error();
  auto answered = read_answers(**stream, place, steps, until);
  if (!answered) return std::move(answered).error();
  return stream;
}

}  // namespace holdfast::redis

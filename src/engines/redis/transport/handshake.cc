// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/handshake.h"

#include <string.h>

#include <string>
#include <utility>
#include <vector>

#include "base/common_failures.h"
#include "engines/redis/errors.h"
#include "engines/redis/transport/command.h"
#include "engines/redis/transport/reply.h"

namespace holdfast::redis {
namespace {

using engine::Deadline;

enum class Step { auth, select, set_name, role, ping };

std::vector<Step> steps_for(const Endpoint& endpoint) {
  std::vector<Step> steps;
  if (!endpoint.user.empty() || !endpoint.password.empty()) steps.push_back(Step::auth);
  if (endpoint.db != 0) steps.push_back(Step::select);
  if (endpoint.sentinels && !endpoint.is_sentinel) steps.push_back(Step::role);
  // One command must prove that this is Redis.
  if (steps.empty()) steps.push_back(Step::ping);
  steps.push_back(Step::set_name);
  return steps;
}

void append(std::string& out, Step step, const Endpoint& endpoint) {
  switch (step) {
    case Step::auth: {
      Command auth(out, endpoint.user.empty() ? 2 : 3);
      auth.add("AUTH");
      if (!endpoint.user.empty()) auth.add(endpoint.user);
      auth.add(endpoint.password.reveal());
      return;
    }
    case Step::select:
      Command(out, 2).add("SELECT").add(endpoint.db);
      return;
    case Step::set_name:
      Command(out, 3).add("CLIENT").add("SETNAME").add(endpoint.client_name);
      return;
    case Step::role:
      Command(out, 1).add("ROLE");
      return;
    case Step::ping:
      Command(out, 1).add("PING");
      return;
  }
}

Failure denied(const Endpoint& endpoint) {
  const std::string who =
      endpoint.user.empty() ? "" : " for user \"" + endpoint.user + "\"";
  if (endpoint.password.empty()) {
    return {Errc::denied, wants_password(endpoint.name(), who)};
  }
  return password_refused(endpoint.name(), who);
}

// A user that may not ask for the role learns it from the first write that is refused.
Result<void> check_reply(const Endpoint& endpoint, Step step, ReplyView reply) {
  if (step == Step::role && reply[0].text() == "slave") {
    return Failure(Errc::unavailable, endpoint.called() +
                                          ", which the sentinels name as the primary, "
                                          "is a replica: a failover is under way, so "
                                          "try again later");
  }
  if (!reply.is_error() || step == Step::set_name) return {};
  const std::string_view said = reply.text();
  if (said.starts_with("NOAUTH") || said.starts_with("WRONGPASS") ||
      (step == Step::auth && said.starts_with("ERR"))) {
    return denied(endpoint);
  }
  const bool optional = step == Step::ping || step == Step::role;
  if (optional && said.starts_with("NOPERM")) return {};
  if (step == Step::select && said.starts_with("ERR DB index")) {
    return Failure(Errc::bad_url, endpoint.called() + " has no database " +
                                      std::to_string(endpoint.db) +
                                      ": name a smaller number in the URL, or raise "
                                      "`databases` in its configuration");
  }
  return failure_of(reply, endpoint.name());
}

Failure not_redis(const Endpoint& endpoint) {
  return base::answers_otherwise(endpoint.spelt(), "Redis");
}

// A TLS server answers plain bytes with an alert or closes the connection without a
// word, and so does a server that wants a client certificate. A server that dies looks
// the same, so this is only a hint.
std::string hint(const Endpoint& endpoint) {
  if (!endpoint.tls.on) {
    return "; if it speaks TLS, the URL starts with " + endpoint.scheme(true);
  }
  if (!endpoint.tls.cert_file.empty()) return "";
  return "; perhaps it wants a certificate: ?cert= and ?key=";
}

Failure hung_up(const Endpoint& endpoint, const Failure& why, bool received) {
  Failure failure = base::cannot_reach(endpoint.called(), why.context);
  if (!received) failure.context += hint(endpoint);
  return failure;
}

Failure wants_tls(const Endpoint& endpoint) {
  return {Errc::incompatible,
          endpoint.spelt() + " speaks TLS: the URL must start with " +
              endpoint.scheme(true) +
              (endpoint.sentinels ? ", for the sentinels and the servers alike" : "")};
}

Result<void> send_all(Stream& stream, const Endpoint& endpoint, std::string_view bytes,
                      Deadline until) {
  for (;;) {
    const auto sent = stream.write_some(bytes);
    if (!sent) return hung_up(endpoint, sent.error(), false);
    bytes.remove_prefix(*sent);
    if (bytes.empty()) return {};
    if (!stream.wait(true, until)) {
      return base::cannot_reach(endpoint.called(), "it takes no request");
    }
  }
}

Result<void> read_answers(Stream& stream, const Endpoint& endpoint,
                          const std::vector<Step>& steps, Deadline until) {
  ReplyReader reader;
  std::size_t read = 0;
  bool received = false;
  while (read < steps.size()) {
    if (!stream.wait(false, until))
      return base::not_answered(endpoint.called(), Errc::unavailable);
    const auto bytes = stream.read_some();
    if (!bytes) return hung_up(endpoint, bytes.error(), received);
    if (!received && bytes->starts_with('\x15')) return wants_tls(endpoint);
    received = received || !bytes->empty();
    if (!reader.feed(*bytes)) return not_redis(endpoint);
    for (;;) {
      const auto reply = reader.next();
      if (!reply) return not_redis(endpoint);
      if (!*reply) break;
      if (read == steps.size()) return not_redis(endpoint);
      if (auto fine = check_reply(endpoint, steps[read++], (*reply)->view()); !fine)
        return fine;
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Stream>> open_stream(const Endpoint& endpoint, Deadline until) {
  auto stream = connect_stream(endpoint, until);
  if (!stream) return stream;

  const auto steps = steps_for(endpoint);
  std::string out;
  for (const Step step : steps) append(out, step, endpoint);
  auto sent = send_all(**stream, endpoint, out, until);
  explicit_bzero(out.data(), out.size());
  if (!sent) return std::move(sent).error();
  auto answered = read_answers(**stream, endpoint, steps, until);
  if (!answered) return std::move(answered).error();
  return stream;
}

}  // namespace holdfast::redis

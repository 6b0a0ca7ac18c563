// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/backend.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "base/ids.h"
#include "engines/redis/transport/cluster.h"
#include "engines/redis/transport/watched_server.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestOpening = 5s;
constexpr std::size_t kFewInDoubt = 64;
constexpr std::string_view kSessionPrefix = "holdfast_bell:";

std::unique_ptr<Servers> make_servers(const Options& options,
                                      const engine::SessionOptions& session) {
  auto reconnected = [alarm = session.alarm] {
    if (alarm != nullptr) alarm->ring();
  };
  if (options.is_cluster()) {
    return std::make_unique<Cluster>(options.cluster, options.endpoint, reconnected,
                                     session.retry);
  }
  if (!options.sentinels.hosts.empty()) {
    return std::make_unique<WatchedServer>(options.sentinels, options.endpoint,
                                           reconnected, session.retry);
  }
  return std::make_unique<OneServer>(options.endpoint, reconnected, session.retry);
}

// The servers of a cluster know the replicas; elsewhere the primary knows its own.
void add_replicas(const std::vector<ServerInfo>& infos,
                  std::vector<engine::ServerDescription>& all) {
  for (const ServerInfo& info : infos) {
    for (const std::string& replica : info.replicas_at) {
      all.push_back({replica, {{"role", "replica of " + all.front().server}}});
    }
  }
}

}  // namespace

Result<std::shared_ptr<Backend>> Backend::open(const Options& options,
                                               const engine::SessionOptions& session) {
  std::shared_ptr<Backend> backend(new Backend(options, session));
  const auto until = Clock::now() + kLongestOpening;
  auto found = backend->servers_->open(until);
  if (!found) return std::move(found).error();
  std::optional<Failure> why;
  for (const auto& server : backend->servers_->primaries()) {
    auto fine = backend->probe(server, until);
    if (fine) continue;
    if (fine.error().code != Errc::unavailable) return std::move(fine).error();
    why = std::move(fine).error();
  }
  if (backend->infos_.empty() && why) return *std::move(why);
  backend->descriptions_ = backend->describe();
  return backend;
}

Result<void> Backend::probe(const Servers::Primary& server, engine::Deadline until) {
  auto info = fetch_server_info(*server.requests, *server.endpoint,
                                options_.is_cluster(), until);
  if (!info) return std::move(info).error();
  infos_.push_back(*std::move(info));
  return may_publish(server.slot, until);
}

std::vector<engine::ServerDescription> Backend::describe() const {
  std::vector<engine::ServerDescription> all;
  for (Servers::KnownServer& known : servers_->known_servers()) {
    engine::ServerDescription one{std::move(known.where), {{"role", known.role}}};
    if (!known.slots.empty()) one.properties.push_back({"slots", known.slots});
    const auto info = std::ranges::find(infos_, known.asked, &ServerInfo::where);
    if (info != infos_.end()) {
      for (auto& each : properties_of(*info)) one.properties.push_back(std::move(each));
    }
    all.push_back(std::move(one));
  }
  if (!options_.is_cluster()) add_replicas(infos_, all);
  return all;
}

// The servers of a cluster are mostly set up alike: one sentence then names them all.
std::vector<std::string> Backend::warnings() const {
  std::vector<std::string> all;
  std::vector<std::string> servers;  // that the warning of the same index is about
  for (const ServerInfo& server : infos_) {
    for (std::string& warning :
         redis::warnings(server, options_.acks.of(server.replicas))) {
      const auto same = std::find(all.begin(), all.end(), warning);
      const auto index = static_cast<std::size_t>(same - all.begin());
      if (same == all.end()) {
        all.push_back(std::move(warning));
        servers.push_back(server.where);
      } else {
        servers[index] += ", " + server.where;
      }
    }
  }
  if (!options_.is_cluster()) return all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = servers[i] + ": " + all[i];
  return all;
}

Backend::Backend(const Options& options, const engine::SessionOptions& session)
    : options_(options),
      layouts_(options),
      client_(base::to_string(session.client)),
      payload_(session.payload),
      ttl_(session.ttl),
      servers_(make_servers(options, session)),
      waiters_(
          servers_->channels(), client_,
          [cluster = options.is_cluster()](Slot slot) {
            std::string prefix(kSessionPrefix);
            return cluster ? prefix + "{" + tag_of(slot) + "}:" : prefix;
          },
          session.alarm) {}

std::string_view Backend::publish_command() const noexcept {
  return options_.is_cluster() ? "SPUBLISH" : "PUBLISH";
}

void Backend::add_args(Invocation& call, const Verb& verb, const KeyNames& names,
                       Slot slot, const engine::Claim& claim) const {
  for (const Arg arg : verb.args) {
    switch (arg) {
      case Arg::mode:
        call.arg(claim.mode == engine::Mode::shared ? "r" : "w");
        break;
      case Arg::permits:
        call.arg(claim.permits);
        break;
      case Arg::capacity:
        call.arg(claim.capacity);
        break;
      case Arg::fair_wait:
        call.arg(options_.fair_wait.count());
        break;
      case Arg::record_prefix:
        call.arg(names.record_prefix());
        break;
      case Arg::timeout_prefix:
        call.arg(names.timeout_prefix());
        break;
      case Arg::token_ttl:
        call.arg(options_.token_ttl.count());
        break;
      case Arg::channels:
        add_channels(call, names, slot);
        break;
    }
  }
}

void Backend::add_channels(Invocation& call, const KeyNames& names, Slot slot) const {
  names.add_channel(call);
  call.arg(publish_command());
  if (options_.is_cluster()) {
    call.arg(kSessionPrefix, "{", tag_of(slot), "}:");
  } else {
    call.arg(kSessionPrefix);
  }
}

// A user without the right to PUBLISH could acquire but not release, because the
// release script fails at its PUBLISH. The session therefore tries it when it opens.
Result<void> Backend::may_publish(Slot slot, engine::Deadline until) {
  std::string out;
  Command(out, 3).add(publish_command()).add(waiters_.session_channel(slot)).add("0");
  const auto reply = checked(slot, servers_->call(slot, out, until));
  if (!reply) return reply.error();
  return {};
}

OwnerName::OwnerName(std::string_view client, engine::Ticket ticket) noexcept {
  char* end = std::copy(client.begin(), client.end(), text_.data());
  *end++ = ':';
  *end++ = 'h';
  end = std::to_chars(end, text_.data() + text_.size(),
                      static_cast<std::uint64_t>(ticket))
            .ptr;
  size_ = static_cast<std::size_t>(end - text_.data());
}

std::int64_t Backend::lease_ms(engine::LeaseTime lease) const noexcept {
  if (lease.count() == 0 || lease == engine::kNoLease) return ttl_.count();
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(lease);
  return std::max<std::int64_t>(whole.count(), 1);
}

void Backend::write(const Invocation& call, engine::Deadline until, std::string& out) {
  until > Clock::now() ? call.write(out) : call.write_in_full(out);
}

Result<Reply> Backend::call(Slot slot, const Invocation& call, engine::Deadline until) {
  static thread_local std::string out;
  out.clear();
  write(call, until, out);
  const auto send = [&] { return servers_->call(slot, out, until); };
  return with_text_if_unknown(send(), call, out, send);
}

bool Backend::post(Slot slot, const Invocation& call, engine::Ticket ticket,
                   PostedCalls::Verb verb, const engine::Waker& answered,
                   engine::Deadline until) {
  static thread_local std::string out;
  out.clear();
  call.write(out);
  return posted_.post(ticket, verb, out, *servers_, slot, answered, until);
}

Result<Reply> Backend::run(Slot slot, const Invocation& call, engine::Deadline until) {
  return checked(slot, this->call(slot, call, until));
}

Result<Reply> Backend::checked(Slot slot, Result<Reply> reply) const {
  if (reply && reply->view().is_error())
    return failure_of(reply->view(), servers_->name_of(slot));
  return reply;
}

int Backend::acks(Slot slot) const {
  if (!options_.acks.majority) return options_.acks.number;
  int most = 0;
  for (const ServerInfo& each : infos_) most = std::max(most, each.replicas);
  return options_.acks.of(servers_->replicas(slot).value_or(most));
}

Result<Reply> Backend::run_acked(Slot slot, const Invocation& call, std::int64_t& acks,
                                 engine::Deadline until) {
  std::string out;
  const auto wanted = acks;
  const auto ask = [&]() -> Result<Reply> {
    Command(out, 3).add("WAIT").add(wanted).add(options_.ack_time.count());
    std::array<Reply, 2> replies;
    const auto done = servers_->call(slot, out, std::span<Reply>(replies), until);
    if (!done) return done.error();
    acks = replies[1].view().number();
    return std::move(replies[0]);
  };
  write(call, until, out);
  return checked(slot, with_text_if_unknown(ask(), call, out, ask));
}

void Backend::put_in_doubt(engine::Ticket ticket) {
  const auto now = Clock::now();
  base::MutexLock lock(mutex_);
  // There may be very many, so they are looked through only when they have doubled.
  if (in_doubt_.size() >= look_through_at_) {
    std::erase_if(in_doubt_,
                  [&](const auto& each) { return now - each.second > kLatestArrival; });
    look_through_at_ = std::max(kFewInDoubt, 2 * in_doubt_.size());
  }
  in_doubt_[ticket] = now;
  in_doubt_count_.store(in_doubt_.size());
}

bool Backend::is_in_doubt(engine::Ticket ticket) const {
  if (in_doubt_count_.load() == 0) return false;
  base::MutexLock lock(mutex_);
  const auto known = in_doubt_.find(ticket);
  return known != in_doubt_.end() && Clock::now() - known->second <= kLatestArrival;
}

void Backend::end_doubt(engine::Ticket ticket) noexcept {
  if (in_doubt_count_.load() == 0) return;
  base::MutexLock lock(mutex_);
  in_doubt_.erase(ticket);
  in_doubt_count_.store(in_doubt_.size());
}

}  // namespace holdfast::redis

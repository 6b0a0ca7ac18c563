// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/renewal.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/time_left.h"
#include "engines/redis/errors.h"
#include "engines/redis/resource.h"
#include "engines/redis/side_by_side.h"
#include "engines/redis/transport/slot_map.h"

namespace holdfast::redis {
namespace {

using engine::ClaimRef;

constexpr std::size_t kClaimsPerCall = 100;  // The server is busy while a script runs.
constexpr std::size_t kPermitsPerCall = 10'000;  // The same, for kinds that renew each
                                                 // permit.
constexpr std::size_t kClaimsPerWrite = 3'200;

const RedisResource& resource_of(const ClaimRef& ref) noexcept {
  return static_cast<const RedisResource&>(*ref.resource);
}

// A batch is the claims of one layout and slot that one call of its script renews.
using Batch = std::vector<ClaimRef*>;

bool has_room(const Batch& batch, const ClaimRef& more) noexcept {
  std::size_t permits = more.claim->permits;
  for (const ClaimRef* each : batch) permits += each->claim->permits;
  return batch.size() < kClaimsPerCall && permits <= kPermitsPerCall;
}

Slot home_slot(const Batch& batch) noexcept {
  return resource_of(*batch.front()).slot();
}
const Verb& verb_of(const Batch& batch) noexcept {
  return resource_of(*batch.front()).layout().renew;
}

void add_args(const Backend& backend, const ClaimRef& ref, Invocation& call) {
  call.arg(backend.owner(ref.claim->ticket))
      .arg(backend.lease_ms(ref.claim->lease))
      .arg(ref.claim->permits);
}

Invocation spell(const Backend& backend, const Batch& batch) {
  Invocation call(*verb_of(batch).script);
  for (const ClaimRef* ref : batch) {
    resource_of(*ref).add_renewal(call, *ref->claim);
  }
  for (const ClaimRef* ref : batch) add_args(backend, *ref, call);
  return call;
}

void settle(const Backend& backend, ClaimRef& ref, bool renewed) {
  ref.outcome = renewed ? std::error_code{} : make_error_code(Errc::not_held);
  ref.granted.lease = std::chrono::milliseconds(backend.lease_ms(ref.claim->lease));
}

void settle(const Batch& batch, const Failure& why) {
  for (ClaimRef* ref : batch) ref->outcome = why.code;
}

void settle(Backend& backend, const Batch& batch, ReplyView reply) {
  if (reply.is_error()) {
    return settle(batch,
                  failure_of(reply, backend.servers().name_of(home_slot(batch))));
  }
  if (reply.size() != batch.size()) return settle(batch, Errc::incompatible);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    settle(backend, *batch[i], reply[i].number() != 0);
  }
}

// Returns whether the claim is lost if this key is not there.
bool is_needed(const RedisResource& resource, Part part, const engine::Claim& claim) {
  if (part == Part::reader_timeout) return claim.mode == engine::Mode::shared;
  return part == Part::record &&
         resource.layout().renew.script == &scripts::barrier_renew;
}

// Renews one claim key by key. The slot is on its way to another server, some keys are
// here and some are there, and no server can run a script that needs two of them.
Result<bool> renew_keys(Backend& backend, const ClaimRef& ref, engine::Deadline until) {
  const RedisResource& resource = resource_of(ref);
  const Verb& verb = resource.layout().renew;
  Invocation call(*verb.script);
  call.key(resource.renewal_key(*verb.keys.begin(), *ref.claim));
  add_args(backend, ref, call);
  const auto first = backend.run(resource.slot(), call, until);
  if (!first) return first.error();
  bool renewed = first->view()[0].number() != 0;
  for (const Part* part = verb.keys.begin() + 1; part != verb.keys.end(); ++part) {
    std::string out;
    Command(out, 3)
        .add("PEXPIRE")
        .add(resource.renewal_key(*part, *ref.claim))
        .add(backend.lease_ms(ref.claim->lease));
    const auto reply = backend.checked(
        resource.slot(), backend.servers().call(resource.slot(), out, until));
    if (!reply) return reply.error();
    if (reply->view().number() == 0 && is_needed(resource, *part, *ref.claim)) {
      renewed = false;
    }
  }
  return renewed;
}

// Calls the script of one batch again, which the server did not know or did not want to
// run: the slot may be at another server by now, or on its way there.
void renew_again(Backend& backend, const Batch& batch, const Invocation& call,
                 engine::Deadline until) {
  const auto reply = backend.call(home_slot(batch), call, until);
  if (!reply) return settle(batch, reply.error());
  if (!is_migrating(reply->view())) return settle(backend, batch, reply->view());
  for (ClaimRef* const ref : batch) {
    const auto renewed = renew_keys(backend, *ref, until);
    if (renewed.has_value()) {
      settle(backend, *ref, *renewed);
    } else {
      ref->outcome = renewed.error().code;
    }
  }
}

bool is_to_call_again(ReplyView reply, const Backend& backend) {
  if (is_no_script(reply)) return true;
  if (!backend.options().is_cluster()) return false;
  return is_migrating(reply) || read_redirection(reply, {}).has_value();
}

// What a replica has not confirmed may be lost in a failover, and another client may
// get the lock when the lease that the replica has is over. So it does not count as
// renewed.
void doubt(const Batch& batch) {
  for (ClaimRef* ref : batch) {
    if (!ref->outcome) ref->outcome = Errc::unavailable;
  }
}

// Appends the question how many replicas have the writes before it. The answer has to
// come before the caller takes the connection for dead.
void ask_for_acks(const Backend& backend, int wanted, engine::Deadline until,
                  std::string& out) {
  const auto left =
      std::chrono::floor<std::chrono::milliseconds>(base::time_left(until));
  const auto limit = std::min(backend.options().ack_time, left / 2);
  Command(out, 3).add("WAIT").add(wanted).add(std::max<std::int64_t>(limit.count(), 1));
}

// Renews batches whose slots are at one server, in one write. A batch that has to be
// sent again is not acknowledged; the next renewal counts.
void renew_some(Backend& backend, Requests& server, std::span<const Batch> batches,
                engine::Deadline until) {
  std::vector<Invocation> calls;
  const int wanted = backend.acks(home_slot(batches.front()));
  std::vector<Reply> replies(batches.size() + (wanted > 0 ? 1 : 0));
  std::string out;
  for (const Batch& batch : batches) {
    calls.push_back(spell(backend, batch));
    Backend::write(calls.back(), until, out);
  }
  if (wanted > 0) ask_for_acks(backend, wanted, until, out);
  const auto done = server.call(out, replies, until);
  const bool acked =
      wanted == 0 || (replies.back() && replies.back().view().number() >= wanted);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (!replies[i]) {
      settle(batches[i], done.error());
    } else if (is_to_call_again(replies[i].view(), backend)) {
      renew_again(backend, batches[i], calls[i], until);
      if (wanted > 0) doubt(batches[i]);
    } else {
      settle(backend, batches[i], replies[i].view());
      if (!acked) doubt(batches[i]);
    }
  }
}

void renew_at(Backend& backend, Requests& server, std::span<const Batch> rest,
              engine::Deadline until) {
  while (!rest.empty()) {
    std::size_t count = 0;
    for (std::size_t claims = 0; count < rest.size() && claims < kClaimsPerWrite;) {
      claims += rest[count++].size();
    }
    renew_some(backend, server, rest.first(count), until);
    rest = rest.subspan(count);
  }
}

std::vector<Batch> make_batches(std::span<ClaimRef> refs) {
  std::map<std::pair<const Layout*, Slot>, Batch> open;
  std::vector<Batch> full;
  for (ClaimRef& ref : refs) {
    const Layout& layout = resource_of(ref).layout();
    if (layout.renew.script == nullptr) {
      ref.outcome = {};
      ref.granted.lease = engine::kNoLease;
      continue;
    }
    Batch& batch = open[{&layout, resource_of(ref).slot()}];
    if (!batch.empty() && !has_room(batch, ref)) {
      full.push_back(std::exchange(batch, {}));
    }
    batch.push_back(&ref);
  }
  for (auto& [key, batch] : open) {
    if (!batch.empty()) full.push_back(std::move(batch));
  }
  return full;
}

// An operator's `evict` is told on the session's channel.
void subscribe_sessions(Backend& backend, std::span<ClaimRef> refs) {
  std::map<Slot, std::int64_t> leases;  // the longest in each slot
  for (const ClaimRef& ref : refs) {
    std::int64_t& longest = leases[resource_of(ref).slot()];
    longest = std::max(longest, backend.lease_ms(ref.claim->lease));
  }
  for (const auto& [slot, lease] : leases) {
    backend.waiters().subscribe_session(slot, engine::Deadline{},
                                        std::chrono::milliseconds(lease));
  }
}

}  // namespace

Result<void> renew_all(Backend& backend, std::span<ClaimRef> refs,
                       engine::Deadline until) {
  try {
    subscribe_sessions(backend, refs);
  } catch (const std::exception&) {
    // There is no memory. An eviction is then noticed by the next renewal.
  }
  std::map<Requests*, std::vector<Batch>> by_server;
  for (Batch& batch : make_batches(refs)) {
    const auto server = backend.servers().requests_for(home_slot(batch), until);
    if (server) {
      by_server[*server].push_back(std::move(batch));
    } else {
      settle(batch, server.error());
    }
  }
  ask_side_by_side(by_server, [&](Requests& server, const std::vector<Batch>& all) {
    renew_at(backend, server, all, until);
  });
  return {};
}

}  // namespace holdfast::redis

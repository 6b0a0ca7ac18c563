// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/renewal.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engines/redis/errors.h"
#include "engines/redis/resource.h"

namespace holdfast::redis {
namespace {

using engine::ClaimRef;

constexpr std::size_t kClaimsPerCall = 100;  // The server is busy while a script runs.
constexpr std::size_t kPermitsPerCall = 10'000;  // The same, for kinds that renew each
                                                 // permit.
constexpr std::size_t kCallsPerWrite = 32;

const RedisResource& resource_of(const ClaimRef& ref) noexcept {
  return static_cast<const RedisResource&>(*ref.resource);
}

// A batch is the claims of one layout that one call of its script renews.
using Batch = std::vector<ClaimRef*>;

bool has_room(const Batch& batch, const ClaimRef& more) noexcept {
  std::size_t permits = more.claim->permits;
  for (const ClaimRef* each : batch) permits += each->claim->permits;
  return batch.size() < kClaimsPerCall && permits <= kPermitsPerCall;
}

Invocation spell(const Backend& backend, const Batch& batch) {
  Invocation call(*resource_of(*batch.front()).layout().renew.script);
  for (const ClaimRef* ref : batch) {
    resource_of(*ref).add_renewal(call, *ref->claim);
  }
  for (const ClaimRef* ref : batch) {
    call.arg(backend.owner(ref->claim->ticket))
        .arg(backend.lease_ms(ref->claim->lease))
        .arg(ref->claim->permits);
  }
  return call;
}

void settle(const Backend& backend, const Batch& batch, ReplyView reply) {
  const std::error_code error = reply.is_error() ? failure_of(reply).code
                                : reply.size() != batch.size()
                                    ? make_error_code(Errc::incompatible)
                                    : std::error_code{};
  for (std::size_t i = 0; i < batch.size(); ++i) {
    ClaimRef& ref = *batch[i];
    ref.outcome = error;
    if (error) continue;
    if (reply[i].number() == 0) ref.outcome = Errc::not_held;
    ref.granted.lease = std::chrono::milliseconds(backend.lease_ms(ref.claim->lease));
  }
}

void settle(const Batch& batch, const Failure& why) {
  for (ClaimRef* ref : batch) ref->outcome = why.code;
}

void renew_some(Backend& backend, std::span<const Batch> batches,
                engine::Deadline until) {
  std::vector<Invocation> calls;
  std::vector<Reply> replies(batches.size());
  std::string out;
  for (const Batch& batch : batches) {
    calls.push_back(spell(backend, batch));
    Backend::write(calls.back(), until, out);
  }
  const auto done = backend.requests().call(out, replies, until);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (!replies[i]) {
      settle(batches[i], done.error());
    } else if (is_no_script(replies[i].view())) {
      const auto again = backend.run(calls[i], until);
      again ? settle(backend, batches[i], again->view())
            : settle(batches[i], again.error());
    } else {
      settle(backend, batches[i], replies[i].view());
    }
  }
}

}  // namespace

Result<void> renew_all(Backend& backend, std::span<ClaimRef> refs,
                       engine::Deadline until) {
  if (!refs.empty()) backend.waiters().subscribe_session();
  std::map<const Layout*, Batch> open;
  std::vector<Batch> full;
  for (ClaimRef& ref : refs) {
    const Layout& layout = resource_of(ref).layout();
    if (layout.renew.script == nullptr) {
      ref.outcome = {};
      ref.granted.lease = engine::kNoLease;
      continue;
    }
    Batch& batch = open[&layout];
    if (!batch.empty() && !has_room(batch, ref)) {
      full.push_back(std::exchange(batch, {}));
    }
    batch.push_back(&ref);
  }
  for (auto& [layout, batch] : open) {
    if (!batch.empty()) full.push_back(std::move(batch));
  }
  for (std::span<const Batch> rest = full; !rest.empty();) {
    const auto count = std::min(rest.size(), kCallsPerWrite);
    renew_some(backend, rest.first(count), until);
    rest = rest.subspan(count);
  }
  return {};
}

}  // namespace holdfast::redis

#include "engines/redis/renewal.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engines/redis/resource.h"

namespace holdfast::redis {
namespace {

using engine::Stake;

constexpr std::size_t kClaimsPerCall = 100;  // The server is busy while a script runs.
constexpr std::size_t kPermitsPerCall = 10'000;  // The same, for kinds that renew each
                                                 // permit.
constexpr std::size_t kCallsPerWrite = 32;

const RedisResource& resource_of(const Stake& stake) noexcept {
  return static_cast<const RedisResource&>(*stake.resource);
}

// A batch is the claims of one layout that one call of its script renews.
using Batch = std::vector<Stake*>;

bool has_room(const Batch& batch, const Stake& more) noexcept {
  std::size_t permits = more.claim->permits;
  for (const Stake* each : batch) permits += each->claim->permits;
  return batch.size() < kClaimsPerCall && permits <= kPermitsPerCall;
}

Invocation spell(const Backend& backend, const Batch& batch) {
  Invocation call(*resource_of(*batch.front()).layout().renew.script);
  for (const Stake* stake : batch) {
    resource_of(*stake).add_renewal(call, *stake->claim);
  }
  for (const Stake* stake : batch) {
    call.arg(backend.owner(stake->claim->ticket))
        .arg(backend.lease_ms(stake->claim->lease))
        .arg(stake->claim->permits);
  }
  return call;
}

void settle(const Backend& backend, const Batch& batch, ReplyView reply) {
  const std::error_code error = reply.is_error() ? failure_of(reply).code
                                : reply.size() != batch.size()
                                    ? make_error_code(Errc::incompatible)
                                    : std::error_code{};
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Stake& stake = *batch[i];
    stake.outcome = error;
    if (error) continue;
    if (reply[i].number() == 0) stake.outcome = Errc::not_held;
    stake.granted.lease =
        std::chrono::milliseconds(backend.lease_ms(stake.claim->lease));
  }
}

void settle(const Batch& batch, const Failure& why) {
  for (Stake* stake : batch) stake->outcome = why.code;
}

void renew_some(Backend& backend, std::span<const Batch> batches,
                engine::Deadline until) {
  std::vector<Invocation> calls;
  std::vector<Reply> replies(batches.size());
  std::string out;
  for (const Batch& batch : batches) {
    calls.push_back(spell(backend, batch));
    calls.back().write(out);
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

Result<void> renew_all(Backend& backend, std::span<Stake> stakes,
                       engine::Deadline until) {
  if (!stakes.empty()) backend.waits().open_door();
  std::map<const Layout*, Batch> open;
  std::vector<Batch> full;
  for (Stake& stake : stakes) {
    const Layout& layout = resource_of(stake).layout();
    if (layout.renew.script == nullptr) {
      stake.outcome = {};
      stake.granted.lease = engine::kNoLease;
      continue;
    }
    Batch& batch = open[&layout];
    if (!batch.empty() && !has_room(batch, stake)) {
      full.push_back(std::exchange(batch, {}));
    }
    batch.push_back(&stake);
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
